package io.kubemirror.feature.disk;

import module java.base;

import io.kubemirror.mirror.Coverage.UnknownStates;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Reading.Progress;
import io.kubemirror.mirror.Restoration;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.View;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.SteadyClock;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.json.JsonMapper;

/**
 * What the records of a file say: its oldest state, and the changes that followed. The format is
 * described at the package.
 *
 * <p>Used by one thread at a time.
 *
 * @param owner what has to be the same for another process to use the file
 * @param nanos the clock of the writer of the mirror
 */
record StoredHistory(Mirror mirror, List<String> owner, SteadyClock clock, LongSupplier nanos) {

    /** The kinds of records. */
    private static final int END = 0;

    private static final int UPSERT = 1;
    private static final int DELETE = 2;
    private static final int OBJECT = 3;
    private static final int STATE = 4;
    private static final int HEADER = 5;

    /** The first record: what a file belongs to, and how objects are read. */
    private record Header(List<String> owner, ResourceType type, DeclaredFields declared) {}

    /** Writes the oldest state of a history. Its changes follow. */
    void begin(View oldest, MirrorFile to) throws IOException {
        ResourceType type = Objects.requireNonNull(oldest.type());
        Snapshot state = Objects.requireNonNull(oldest.snapshot());
        Header header = new Header(owner, type, oldest.declared());
        to.append(record(HEADER).bytes(JsonMapper.shared().writeValueAsBytes(header)));
        for (KubeObject object : state.objects()) {
            to.append(record(OBJECT).object(object));
        }
        to.append(record(STATE).revision(state.revision()));
        to.flush();
    }

    /**
     * Appends changes. The last of several readings ends them: within a bridge, a state may never
     * have been. No view is kept meanwhile, as its history would stay in memory for as long as the
     * disk takes.
     */
    void append(Progress read, MirrorFile to, Instant now) throws IOException {
        long present = clock.toSystem(now).toEpochMilli();
        for (LoggedChange logged : read.changes()) {
            long age = TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - logged.nanos());
            Change change = logged.change();
            Payload record =
                    change instanceof Change.Deleted
                            ? record(DELETE).text(change.key().path())
                            : record(UPSERT).object(change.latest());
            to.append(record.revision(change.revision()).number(present - Math.max(0, age)));
        }
        if (!read.isFull()) {
            to.append(end(read.next().revision(), mirror.view(), present));
        }
        to.flush();
    }

    private Payload end(Revision reached, View view, long present) {
        long contact = clock.toSystem(mirror.upstream().contact()).toEpochMilli();
        return record(END)
                .number(Math.min(present, contact))
                .revision(view.lost())
                .list(
                        view.recent().coverage().unknown(),
                        (states, end) -> end.revision(states.from()).revision(states.to()))
                .revision(reached);
    }

    private static Payload record(int kind) {
        return new Payload().octet(kind);
    }

    /** Makes the content of a file that of an empty mirror. */
    final class Reader {

        private final Restoration restoration;
        private final Instant now;
        private @Nullable Header header;
        private @Nullable End end;

        /** What is known beside the changes, up to which a file is complete. */
        private record End(
                Instant contact, Revision lost, List<UnknownStates> unknown, Revision reached) {}

        Reader(Restoration restoration, Instant now) {
            this.restoration = restoration;
            this.now = now;
        }

        /**
         * Reads a record.
         *
         * @throws IOException if the file belongs to another mirror
         */
        void read(Payload from) throws IOException {
            switch (from.octet()) {
                case HEADER -> {
                    header = JsonMapper.shared().readValue(from.bytes(), Header.class);
                    check(header);
                }
                case OBJECT -> restoration.add(from.object());
                case STATE -> restoration.begin(from.revision());
                case UPSERT -> restoration.upsert(from.object(), from.revision(), age(from));
                case DELETE ->
                        restoration.delete(new ObjectKey(from.text()), from.revision(), age(from));
                case END ->
                        end =
                                new End(
                                        Instant.ofEpochMilli(from.number()),
                                        from.revision(),
                                        from.list(
                                                states ->
                                                        new UnknownStates(
                                                                states.revision(),
                                                                states.revision())),
                                        from.revision());
                default -> throw new IOException("it has records of an unknown kind");
            }
        }

        private Duration age(Payload from) {
            long age = clock.toSystem(now).toEpochMilli() - from.number();
            return Duration.ofMillis(Math.max(0, age));
        }

        private void check(Header found) throws IOException {
            if (!found.owner().equals(owner)) {
                throw new IOException(
                        "it was stored by another version of kubemirror, for another server, or"
                                + " with another configuration");
            }
            // The type of a mirror on demand is known before it is filled.
            ResourceType known = mirror.type().orElse(found.type());
            boolean same =
                    mirror.type().isEmpty()
                            || mirror.declaredFields().fields().equals(found.declared().fields());
            if (!same || !known.equals(found.type())) {
                throw new IOException("the type is another one now");
            }
        }

        /**
         * Completes the mirror.
         *
         * @throws IOException if the file is not complete
         */
        void complete() throws IOException {
            if (header == null || end == null) {
                throw new IOException("it is not complete");
            }
            Instant contact = clock.fromSystem(end.contact());
            restoration.complete(
                    header.type(),
                    header.declared(),
                    end.reached(),
                    end.lost(),
                    end.unknown(),
                    now,
                    contact.isAfter(now) ? now : contact);
        }
    }
}
