package io.kubemirror.feature.disk;

import static io.kubemirror.feature.disk.StoreFile.UntrustedStoreException.require;

import module java.base;

import io.kubemirror.feature.disk.StoreFile.UntrustedStoreException;
import io.kubemirror.feature.disk.StoreFile.UntrustedStoreException.Reason;
import io.kubemirror.feature.disk.StoredHistory.StoreHeader.Owner;
import io.kubemirror.mirror.Coverage.UnknownStates;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.History;
import io.kubemirror.mirror.MirrorMemory.OverBudgetException;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Restoration;
import io.kubemirror.mirror.View;
import io.kubemirror.model.Change;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.model.SteadyClock;

import org.jspecify.annotations.Nullable;

/**
 * What the file of a mirror contains: its oldest state, and what followed. It is read and believed
 * as a whole, or written as a whole; then it continues. The format is described at the package.
 *
 * <p>Used by one thread at a time.
 */
final class StoredHistory {

    /** The entries of records. */
    private static final int END = 0;

    private static final int UPSERT = 1;
    private static final int DELETE = 2;
    private static final int OBJECT = 3;
    private static final int STATE = 4;

    /** The maximum of the bytes written, compared with the objects in the changes. */
    private static final double MAX_WRITTEN = 1.45;

    /** Below this, a file is not replaced. */
    private static final long SMALL = 1024 * 1024;

    /** Beyond this many times the state, a file is replaced although objects are tiny. */
    private static final long MAX_STATES = 8;

    /** The size from which on a record ends. */
    private static final int RECORD = 256 * 1024;

    private final StoreFile file;
    private final LongSupplier nanos;
    private final StoreCounts counts;

    /** The first record that was read. */
    private @Nullable StoreHeader header;

    /** The record that is being written. */
    private Payload record = new Payload();

    /** The size of the file with its first history, 0 while that is not complete. */
    private long started;

    /** The size of the objects in the changes since. */
    private long content;

    private Instant time = Instant.MIN;
    private Instant contact = Instant.EPOCH;
    private Revision revision = Revision.ZERO;
    private Revision lost = Revision.ZERO;
    private List<UnknownStates> unknown = List.of();

    /**
     * Creates the history of a file, which is not read or written yet.
     *
     * @param nanos the clock of the writer of the mirror
     * @param counts counts what is written
     */
    StoredHistory(StoreFile file, LongSupplier nanos, StoreCounts counts) {
        this.file = file;
        this.nanos = nanos;
        this.counts = counts;
    }

    /** Returns when the last record was written, by the system's clock. */
    Instant time() {
        return time;
    }

    /** Returns the file. */
    StoreFile file() {
        return file;
    }

    /**
     * Reads the file and makes its content that of an empty mirror.
     *
     * @param owner what the file has to belong to
     * @throws UntrustedStoreException if the file is not used; the mirror is empty then
     */
    void restore(Owner owner, MirrorWriter writer, Instant now, SteadyClock clock)
            throws IOException {
        Instant present = clock.toSystem(now);
        Restoration restoration = writer.restoration();
        try {
            file.read(
                    read -> {
                        if (header == null) {
                            header = StoreHeader.read(read);
                            header.check(owner, writer.mirror());
                        } else {
                            read(read, restoration, present);
                        }
                    });
            require(started > 0, Reason.CORRUPT, "its first history is not complete");
            StoreHeader of = Objects.requireNonNull(header);
            Instant heard = clock.fromSystem(contact);
            restoration.complete(of.type(), of.declared(), revision, lost, unknown, now, heard);
        } catch (IOException | RuntimeException e) {
            restoration.discard();
            throw switch (e) {
                case IOException known -> known;
                case OverBudgetException _ ->
                        new UntrustedStoreException(
                                Reason.MEMORY, "it does not fit into the memory");
                default -> new UntrustedStoreException(Reason.CORRUPT, "it makes no sense");
            };
        }
    }

    private void read(Payload from, Restoration to, Instant now) throws UntrustedStoreException {
        Instant written = Instant.ofEpochMilli(from.number());
        boolean ordered = !written.isBefore(time) && !written.isAfter(now);
        require(ordered, Reason.CLOCK, "the clock went back");
        time = written;
        while (from.hasNext()) {
            switch (from.octet()) {
                case OBJECT -> to.add(from.object());
                case STATE -> to.begin(from.revision());
                case UPSERT -> to.upsert(counted(from.object()), from.revision(), age(from, now));
                case DELETE ->
                        to.delete(new ObjectKey(from.text()), from.revision(), age(from, now));
                case END -> readEnd(from);
                default -> throw new IllegalArgumentException("an unknown kind of entry");
            }
        }
    }

    private KubeObject counted(KubeObject object) {
        content += object.json().length;
        return object;
    }

    private Duration age(Payload from, Instant now) {
        return Duration.between(time, now).plusMillis(from.number());
    }

    private void readEnd(Payload from) {
        contact = Instant.ofEpochMilli(from.number());
        lost = from.revision();
        unknown = from.list(() -> states(from));
        revision = from.revision();
        begun();
    }

    private static UnknownStates states(Payload from) {
        return new UnknownStates(from.revision(), from.revision());
    }

    /** The first history is complete. */
    private void begun() {
        if (started == 0) {
            started = file.size();
            content = 0;
        }
    }

    /**
     * Sets the times that the records from now on contain, by the system's clock.
     *
     * @param present not before that of the last record
     * @param heard when the server was last heard from
     */
    void setTimes(Instant present, Instant heard) {
        time = present;
        contact = heard;
    }

    /**
     * Writes the whole history, and waits until it is on the device. Returns false if it was
     * aborted.
     *
     * @param aborted whether the memory of the history is needed
     */
    boolean write(Owner owner, History history, BooleanSupplier aborted) throws IOException {
        Payload first = new Payload();
        ResourceType type = Objects.requireNonNull(history.view().type());
        new StoreHeader(owner, type, history.view().declared()).write(first);
        file.begin(first);
        revision = history.base().revision();
        beginRecord();
        for (KubeObject object : history.base().objects()) {
            record.octet(OBJECT).object(object);
            endLongRecord();
            if (aborted.getAsBoolean()) {
                return false;
            }
        }
        record.octet(STATE).revision(revision);
        write();
        append(history.changes(), history.view(), history.view().revision());
        file.force();
        return true;
    }

    /**
     * Appends changes, in as many records as their size needs.
     *
     * @param view what the mirror shows, not before the changes
     * @param reached the revision that the history has reached then
     */
    void append(List<LoggedChange> changes, View view, Revision reached) throws IOException {
        lost = view.lost();
        unknown = view.recent().coverage().unknown();
        beginRecord();
        for (LoggedChange logged : changes) {
            change(logged);
            passed(logged.change().revision());
        }
        revision = reached;
        end();
        write();
        begun();
        record = new Payload();
    }

    private void change(LoggedChange logged) {
        Change change = logged.change();
        if (change instanceof Change.Deleted) {
            record.octet(DELETE).text(change.key().path());
        } else {
            record.octet(UPSERT).object(counted(change.latest()));
        }
        long age = Duration.ofNanos(nanos.getAsLong() - logged.nanos()).toMillis();
        record.revision(change.revision()).number(Math.max(0, age));
    }

    private void passed(Revision last) throws IOException {
        revision = last.follows(revision) ? last : revision;
        endLongRecord();
    }

    private void beginRecord() {
        record.clear().number(time.toEpochMilli());
    }

    /** The first history is used only if all of it is there: only its last record has an end. */
    private void endLongRecord() throws IOException {
        if (record.size() >= RECORD) {
            if (started > 0) {
                end();
            }
            write();
            beginRecord();
        }
    }

    private void end() {
        record.octet(END).number(Math.min(time.toEpochMilli(), contact.toEpochMilli()));
        record.revision(lost);
        record.list(unknown, states -> record.revision(states.from()).revision(states.to()));
        record.revision(revision);
    }

    private void write() throws IOException {
        long before = file.size();
        file.append(record);
        counts.written(file.size() - before);
    }

    /**
     * Returns whether a file with the whole history should take the place of this one.
     *
     * @param bytes the size of the present state
     */
    boolean isWorthReplacing(long bytes) {
        long state = Math.max(started, bytes);
        long appended = file.size() - started;
        return appended >= SMALL
                && (MAX_WRITTEN * content - appended >= state
                        || appended > MAX_STATES * (state + SMALL));
    }

    /**
     * The first record of a file: what it belongs to.
     *
     * @param owner what has to be the same for another process to use the file
     * @param type the type of the objects
     * @param declared the fields that the definition of the type declares
     */
    record StoreHeader(Owner owner, ResourceType type, DeclaredFields declared) {

        /**
         * What a file belongs to.
         *
         * @param version the version of kubemirror: another one may read other values of an object
         * @param server the server that the objects come from
         * @param settings the scope of the mirror, and what it reads of each object
         */
        record Owner(String version, String server, String settings) {}

        /** Checks that the content of the file is that of an empty mirror of an owner. */
        void check(Owner present, Mirror mirror) throws UntrustedStoreException {
            String by = "it was stored by another ";
            require(
                    present.version.equals(owner.version),
                    Reason.VERSION,
                    by + "version of kubemirror");
            require(present.server.equals(owner.server), Reason.SERVER, by + "server");
            require(
                    present.settings.equals(owner.settings),
                    Reason.CONFIGURATION,
                    by + "configuration");
            // The type of a mirror on demand is known before it is filled.
            boolean same = mirror.declaredFields().fields().equals(declared.fields());
            require(
                    mirror.type().map(known -> same && known.equals(type)).orElse(true),
                    Reason.SERVER,
                    "the type is another one now");
        }

        void write(Payload to) {
            to.text(owner.version).text(owner.server).text(owner.settings);
            to.text(type.group()).text(type.version()).text(type.kind()).text(type.plural());
            to.text(type.singular()).octet(type.namespaced() ? 1 : 0);
            to.list(type.shortNames(), to::text).list(type.categories(), to::text);
            to.list(
                    declared.fields(),
                    field ->
                            to.text(field.label())
                                    .list(
                                            field.sources(),
                                            source -> to.list(source.segments(), to::text))
                                    .text(field.fallback()));
            to.text(declared.problem()).text(declared.schema());
        }

        static StoreHeader read(Payload from) {
            return new StoreHeader(
                    new Owner(from.text(), from.text(), from.text()),
                    new ResourceType(
                            from.text(),
                            from.text(),
                            from.text(),
                            from.text(),
                            from.text(),
                            from.octet() != 0,
                            from.list(from::text),
                            from.list(from::text)),
                    new DeclaredFields(from.list(() -> field(from)), from.text(), from.text()));
        }

        private static SelectableField field(Payload from) {
            return new SelectableField(
                    from.text(),
                    from.list(() -> new FieldPath(from.list(from::text))),
                    from.text());
        }
    }
}
