package io.kubemirror.persistence;

import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorFollower;
import io.kubemirror.mirror.MirrorFollower.History;
import io.kubemirror.mirror.MirrorFollower.Step;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.UnknownStates;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.persistence.StoreHeader.Owner;
import io.kubemirror.persistence.UntrustedStoreException.Reason;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The file of one mirror. Changes are appended. When the changes in the file are so many that a new
 * file costs little in comparison, the present history takes the place of the old file.
 *
 * <p>A file either leads to a state that the mirror had, or it does not exist: it is removed before
 * readers see content that does not follow from its changes, and when it cannot be written.
 *
 * <p>The monitor guards the file. Only the writer of the mirror needs none to remove it, because it
 * does not wait for the disk.
 */
final class StoredMirror {

    /** The maximum of the bytes written, compared with the objects in the changes. */
    private static final double MOST_WRITTEN = 1.45;

    /** Below this, a file is not replaced. */
    private static final long SMALL = 1024 * 1024;

    /** Beyond this many times the state, a file is replaced although objects are tiny. */
    private static final long MOST_STATES = 8;

    private static final int RECORD = 256 * 1024;

    /** The time between two new files. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** The time after a failure. */
    private static final Duration RETRY = Duration.ofMinutes(1);

    /** What the name of a file ends with that is not complete yet. */
    static final String TEMPORARY = ".new";

    private final MirrorWriter writer;
    private final MirrorFollower follower;
    private final Path path;
    private final Owner owner;
    private final byte @Nullable [] secret;
    private final BooleanSupplier owned;
    private final LongSupplier nanos;
    private final MemoryBudget memory;

    /** The file, null if there is none. */
    private @Nullable StoreWriter file;

    /** The size of the file when it was new, and of the objects in the changes since. */
    private long started;

    private long content;

    /** When another file may be begun. */
    private Instant next = Instant.MIN;

    /** What the last record says. */
    private Instant last = Instant.MIN;

    private Revision revision = Revision.ZERO;
    private Revision lost = Revision.ZERO;
    private UnknownStates lapse = StoreReader.NONE;
    private List<UnknownStates> unknown = List.of();

    /** Whether the log says that Secrets are not stored. */
    private boolean refused;

    /** Set before another one uses the same path. */
    private volatile boolean abandoned;

    /** Counts what is written. */
    private final StoreCounts counts;

    /**
     * Creates the file of a mirror, which is not read or written yet.
     *
     * @param secret the key, null for none
     * @param owned whether no other process uses the path
     * @param nanos the clock of the writer
     * @param memory the budget for records that are read
     */
    StoredMirror(
            MirrorWriter writer,
            Path path,
            Owner owner,
            byte @Nullable [] secret,
            BooleanSupplier owned,
            LongSupplier nanos,
            MemoryBudget memory,
            StoreCounts counts) {
        this.writer = writer;
        this.path = path;
        this.owner = owner;
        this.secret = secret;
        this.owned = owned;
        this.nanos = nanos;
        this.memory = memory;
        this.counts = counts;
        this.follower = new MirrorFollower(writer, this::invalidate);
    }

    Mirror mirror() {
        return writer.mirror();
    }

    Path path() {
        return path;
    }

    /** Returns the size of the file, 0 if there is none. */
    long size() {
        StoreWriter open = file;
        return open == null ? 0 : open.size();
    }

    /**
     * Fills the empty mirror from the file. Returns false if there is none.
     *
     * @throws UntrustedStoreException if the file is not used; it does not exist then
     */
    boolean restore(Instant now) throws IOException {
        if (!Files.exists(path)) {
            return false;
        }
        Optional<ResourceType> expected = mirror().type();
        StoreReader.Trusted stored;
        try {
            stored = new StoreReader(owner, secret, now, memory, writer.restoration()).read(path);
        } catch (IOException e) {
            Files.deleteIfExists(path);
            throw e;
        }
        if (expected.isPresent() && !expected.equals(mirror().type())) {
            writer.forget();
            Files.deleteIfExists(path);
            throw new UntrustedStoreException(Reason.SERVER, "the type is another one now");
        }
        follower.resume();
        last = stored.time();
        revision = mirror().revision();
        lost = stored.lost();
        lapse = stored.lapse();
        started = stored.baseEnd();
        content = stored.content();
        file = StoreWriter.reopen(path, stored);
        return true;
    }

    /**
     * Stores what has happened since the last time.
     *
     * @param room the bytes by which files may grow, negative if they are too large already
     * @return whether the disk has everything that should be there
     * @throws IOException if that is not possible; the file does not exist then, if possible
     */
    synchronized boolean store(Instant now, RecordBuffer buffer, long room) throws IOException {
        if (abandoned) {
            return true;
        }
        try {
            boolean current = file != null && !now.isBefore(last) && follow(now, buffer);
            if ((!current || isWorthReplacing()) && !now.isBefore(next)) {
                next = now.plus(PAUSE);
                replace(now, buffer, room);
                return true;
            }
            if (room < 0) {
                throw new IOException("kubemirror.persistence.max-bytes is exceeded");
            }
            return current || !isStored();
        } catch (IOException | RuntimeException e) {
            next = now.plus(RETRY);
            remove();
            throw e;
        }
    }

    /** Appends what is new; returns false if the file does not lead to the present state. */
    private boolean follow(Instant now, RecordBuffer buffer) throws IOException {
        while (true) {
            switch (follower.next()) {
                case Step.Unchanged _ -> {
                    return true;
                }
                case Step.Lost _ -> {
                    return false;
                }
                case Step.Advanced step -> {
                    unknown = step.unknown();
                    append(
                            now,
                            buffer,
                            step.changes(),
                            step.hidden(),
                            step.revision(),
                            StoreReader.END);
                }
            }
        }
    }

    /**
     * Appends changes and then hidden updates, in as many records as their size needs.
     *
     * @param split ends all records but the last
     */
    private void append(
            Instant now,
            RecordBuffer buffer,
            List<LoggedChange> changes,
            Collection<KubeObject> hidden,
            Revision reached,
            int split)
            throws IOException {
        begin(now, buffer);
        for (LoggedChange logged : changes) {
            entry(buffer, logged);
            revision = logged.change().revision();
            if (buffer.size() >= RECORD) {
                end(buffer, split);
                begin(now, buffer);
            }
        }
        for (KubeObject object : hidden) {
            buffer.octet(StoreReader.REFRESH).object(object);
            content += object.json().length;
            if (buffer.size() >= RECORD) {
                // The watch brings the others once more.
                end(buffer, split);
                begin(now, buffer);
            }
        }
        revision = reached;
        end(buffer, StoreReader.END);
    }

    private void begin(Instant now, RecordBuffer buffer) {
        buffer.clear();
        buffer.octet(StoreReader.CHANGES);
        head(now, buffer);
    }

    private void head(Instant now, RecordBuffer buffer) {
        Instant contact = mirror().upstream().contact();
        last = now;
        buffer.number(now.toEpochMilli());
        buffer.number(Math.min(now.toEpochMilli(), contact.toEpochMilli()));
        buffer.text(lost.digits()).text(lapse.from().digits()).text(lapse.to().digits());
        buffer.number(unknown.size());
        for (UnknownStates states : unknown) {
            buffer.text(states.from().digits()).text(states.to().digits());
        }
    }

    private void entry(RecordBuffer buffer, LoggedChange logged) {
        Change change = logged.change();
        boolean deletion = change instanceof Change.Deleted;
        long age = Math.max(0, Duration.ofNanos(nanos.getAsLong() - logged.nanos()).toMillis());
        buffer.octet(deletion ? StoreReader.DELETE : StoreReader.UPSERT);
        buffer.text(change.revision().digits()).number(age);
        if (deletion) {
            buffer.text(change.key().path());
        } else {
            buffer.object(change.latest());
            content += change.latest().json().length;
        }
    }

    private void end(RecordBuffer buffer, int entry) throws IOException {
        buffer.octet(entry).text(revision.digits());
        write(buffer);
    }

    private void write(RecordBuffer buffer) throws IOException {
        StoreWriter open = Objects.requireNonNull(file);
        long before = open.size();
        open.append(buffer);
        counts.written(open.size() - before);
    }

    private boolean isWorthReplacing() {
        long state = Math.max(started, mirror().bytes());
        long appended = size() - started;
        return appended >= SMALL
                && (MOST_WRITTEN * content - appended >= state
                        || appended > MOST_STATES * (state + SMALL));
    }

    /** Stores the whole history in a new file, and puts that in the place of the old one. */
    private void replace(Instant now, RecordBuffer buffer, long room) throws IOException {
        Optional<History> whole = isStored() ? follower.whole() : Optional.empty();
        if (whole.isEmpty()) {
            if (file != null) {
                remove();
            }
            return;
        }
        StoreWriter old = file;
        Path beside = path.resolveSibling(path.getFileName() + TEMPORARY);
        try (History history = whole.get()) {
            makeRoom(room);
            Files.deleteIfExists(beside);
            StoreHeader header = new StoreHeader(owner, history.type(), history.declared());
            file = StoreWriter.create(beside, header, secret, buffer);
            boolean valid = write(now, buffer, history) && publish(beside);
            if (!valid) {
                remove();
            }
        } finally {
            close(old);
            Files.deleteIfExists(beside);
        }
    }

    /** The old file stays until the new one is complete, unless there is no room for both. */
    private void makeRoom(long room) throws IOException {
        long needed = mirror().bytes();
        if (needed > room + size()) {
            throw new IOException("kubemirror.persistence.max-bytes is too small");
        }
        if (needed > room) {
            invalidate();
        }
    }

    /** Secrets are stored only if they can be encrypted. */
    private boolean isStored() {
        ResourceType type = mirror().type().orElse(null);
        boolean secrets = type != null && type.group().isEmpty() && type.kind().equals("Secret");
        if (secrets && secret == null && !refused) {
            refused = true;
            counts.refused(mirror());
        }
        return mirror().snapshot().isPresent() && (!secrets || secret != null);
    }

    /** Returns false if the memory of the state is needed, so that it cannot be written. */
    private boolean write(Instant now, RecordBuffer buffer, History history) throws IOException {
        unknown = history.unknown();
        lost = history.lost();
        lapse = history.lapse().orElse(StoreReader.NONE);
        revision = history.base().revision();
        buffer.clear();
        for (KubeObject object : history.base().objects()) {
            if (buffer.size() >= RECORD) {
                write(buffer);
                buffer.clear();
            }
            if (buffer.size() == 0) {
                buffer.octet(StoreReader.OBJECTS);
            }
            buffer.object(object);
            if (history.isAborted()) {
                return false;
            }
        }
        if (buffer.size() > 0) {
            write(buffer);
            buffer.clear();
        }
        buffer.octet(StoreReader.BASE).number(history.base().size());
        head(now, buffer);
        buffer.text(revision.digits());
        write(buffer);
        append(
                now,
                buffer,
                history.changes(),
                history.hidden(),
                history.revision(),
                StoreReader.MORE);
        Objects.requireNonNull(file).force();
        started = size();
        content = 0;
        return true;
    }

    /** The file is not used if the content was replaced while it was written. */
    private boolean publish(Path beside) throws IOException {
        try {
            return follower.unlessReplaced(() -> move(beside));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void move(Path beside) {
        try {
            if (!abandoned) {
                Files.move(
                        beside,
                        path,
                        StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Called by the writer of the mirror. An open file without a name is closed later. */
    private void invalidate() {
        try {
            if (!abandoned && owned.getAsBoolean()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            counts.failed(mirror(), e);
        }
    }

    /** Gives up the file, and what is kept for it. */
    synchronized void remove() {
        follower.stop();
        close();
        invalidate();
    }

    /** Leaves the file to another one of the same path. */
    synchronized void abandon() {
        abandoned = true;
        follower.stop();
        close();
    }

    /** Closes the file, from which another process continues. */
    synchronized void close() {
        close(file);
        file = null;
    }

    private void close(@Nullable StoreWriter open) {
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException e) {
            counts.failed(mirror(), e);
        }
    }
}
