package io.kubemirror.feature.disk;

import module java.base;

import io.kubemirror.feature.disk.StoreFile.UntrustedStoreException;
import io.kubemirror.feature.disk.StoredHistory.StoreHeader.Owner;
import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.History;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.SnapshotPins.Pin;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SteadyClock;

import okio.ByteString;

import org.jspecify.annotations.Nullable;

/**
 * The file of one mirror. Changes are appended. When the changes in the file are so many that a new
 * file costs little in comparison, the present history takes the place of the old file.
 *
 * <p>A file either leads to a state that the mirror had, or it is not used: it is marked before
 * readers see content that does not follow from its changes, and removed when it cannot be written.
 *
 * <p>The monitor guards the file and its name, and is held while the disk is written. The writer of
 * the mirror never takes it: it marks files in memory, and waits for no disk.
 */
final class StoredMirror {

    /** The time between two new files. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** The time after a failure. */
    private static final Duration RETRY = Duration.ofMinutes(1);

    private static final String EXTENSION = ".mirror";

    /** What the name of a file ends with that is not complete yet. */
    private static final String TEMPORARY = ".new";

    private final MirrorWriter writer;
    private final Path path;
    private final Owner owner;
    private final BooleanSupplier owned;
    private final SteadyClock clock;
    private final LongSupplier nanos;
    private final MemoryBudget memory;

    /** What the file contains, null if there is none. */
    private @Nullable StoredHistory stored;

    /** Everything up to it is in the file. */
    private @Nullable Cursor cursor;

    /** The {@linkplain MirrorWriter#replacements replacements} of the content before the file. */
    private long replacements;

    /**
     * The open files of which one has the name, or is about to get it. One is added before it is
     * checked that its content has not been replaced, and the writer of the mirror looks at them
     * after it has begun to replace it: a file that gets the name is marked, or is not out of date.
     */
    private final Set<StoreFile> open = ConcurrentHashMap.newKeySet();

    /** When another file may be begun. */
    private Instant next = Instant.MIN;

    /** Whether the log says that Secrets are not stored. */
    private boolean refused;

    /** Set before another one uses the same path. */
    private boolean abandoned;

    /** Counts what is written. */
    private final StoreCounts counts;

    /**
     * Creates the file of a mirror, which is not read or written yet.
     *
     * @param owned whether no other process uses the path
     * @param clock the clock of all times but those in the file, which are of the system's clock
     * @param nanos the clock of the writer
     * @param memory the budget for records that are read
     */
    StoredMirror(
            MirrorWriter writer,
            Path path,
            Owner owner,
            BooleanSupplier owned,
            SteadyClock clock,
            LongSupplier nanos,
            MemoryBudget memory,
            StoreCounts counts) {
        this.writer = writer;
        this.path = path;
        this.owner = owner;
        this.owned = owned;
        this.clock = clock;
        this.nanos = nanos;
        this.memory = memory;
        this.counts = counts;
        writer.beforeReplacement(this::invalidate);
    }

    /**
     * Returns the file of a mirror.
     *
     * @param settings what the content of the mirror depends on
     */
    static Path path(Path directory, Mirror mirror, String settings) {
        String resource = mirror.scope().resource().text().replaceAll("[^a-z0-9.-]", "_");
        String digest = ByteString.encodeUtf8(settings).sha256().substring(0, 8).hex();
        return directory.resolve(resource + "-" + digest + EXTENSION);
    }

    /** Returns whether a path is that of a mirror, or of a file that is not complete. */
    static boolean isPath(Path path) {
        String name = path.getFileName().toString();
        return name.endsWith(EXTENSION) || name.endsWith(EXTENSION + TEMPORARY);
    }

    Mirror mirror() {
        return writer.mirror();
    }

    Path path() {
        return path;
    }

    /** Returns the size of the file, 0 if there is none. */
    long size() {
        StoredHistory present = stored;
        return present == null ? 0 : present.file().size();
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
        try {
            StoredHistory found = opened(StoreFile.open(path, memory));
            stored = found;
            found.restore(owner, writer, now, clock);
        } catch (IOException e) {
            close();
            Files.deleteIfExists(path);
            throw e;
        }
        cursor = mirror().view().cursor();
        replacements = writer.replacements();
        return true;
    }

    /**
     * Stores what has happened since the last time.
     *
     * @param max the maximum size of the files of this mirror, negative if others need all of it
     * @return whether the disk has everything that should be there
     * @throws IOException if that is not possible; the file does not exist then, if possible, as
     *     after anything else that is thrown
     */
    synchronized boolean store(Instant now, long max) throws IOException {
        if (abandoned) {
            return true;
        }
        try {
            boolean current = stored != null && follow(stored, now);
            if ((!current || isWorthReplacing()) && !now.isBefore(next)) {
                replace(now, max);
                return true;
            }
            if (size() > max) {
                throw new IOException("kubemirror.persistence.max-bytes is exceeded");
            }
            return current || !isStored();
        } catch (IOException | RuntimeException | Error e) {
            remove();
            next = now.plus(RETRY);
            throw e;
        }
    }

    /** Appends what is new; returns false if the file does not lead to the present state. */
    private boolean follow(StoredHistory to, Instant now) throws IOException {
        to.file().check();
        if (writer.replacements() != replacements || clock.toSystem(now).isBefore(to.time())) {
            return false;
        }
        setTimes(to, now);
        Cursor from = Objects.requireNonNull(cursor);
        while (mirror().read(from) instanceof Reading.Progress(var changes, var next)) {
            if (next.equals(from)) {
                return true;
            }
            to.append(changes, mirror().view(), next.revision());
            cursor = next;
            from = next;
        }
        return false;
    }

    private void setTimes(StoredHistory of, Instant now) {
        of.setTimes(clock.toSystem(now), clock.toSystem(mirror().upstream().contact()));
    }

    private boolean isWorthReplacing() {
        return stored != null && stored.isWorthReplacing(mirror().bytes());
    }

    /** Stores the whole history in a new file, and puts that in the place of the old one. */
    private void replace(Instant now, long max) throws IOException {
        long before = writer.replacements();
        Optional<History> whole =
                isStored() && before % 2 == 0 ? mirror().history() : Optional.empty();
        if (whole.isEmpty()) {
            if (stored != null) {
                remove();
            }
            return;
        }
        next = now.plus(PAUSE);
        replacements = before;
        AtomicBoolean aborted = new AtomicBoolean();
        History history = whole.get();
        StoredHistory old = stored;
        Path beside = path.resolveSibling(path.getFileName() + TEMPORARY);
        try (Pin _ = mirror().pin(history.base().revision(), () -> aborted.set(true))) {
            makeRoom(max);
            Files.deleteIfExists(beside);
            StoredHistory fresh = opened(StoreFile.create(beside));
            stored = fresh;
            cursor = history.view().cursor();
            setTimes(fresh, now);
            if (!fresh.write(owner, history, aborted::get) || !publish(beside)) {
                remove();
            }
        } finally {
            if (old != null) {
                // It has no name any more, or is removed: if that fails, it is not used.
                old.file().invalidate();
            }
            close(old);
            Files.deleteIfExists(beside);
        }
    }

    /** The old file stays until the new one is complete, unless there is no room for both. */
    private void makeRoom(long max) throws IOException {
        long needed = mirror().bytes();
        if (needed > max) {
            throw new IOException("kubemirror.persistence.max-bytes is too small");
        }
        if (needed > max - size()) {
            delete();
        }
    }

    /** Secrets are not stored. */
    private boolean isStored() {
        ResourceType type = mirror().type().orElse(null);
        boolean secrets = type != null && type.group().isEmpty() && type.kind().equals("Secret");
        if (secrets && !refused) {
            refused = true;
            counts.refused(mirror());
        }
        return mirror().snapshot().isPresent() && !secrets;
    }

    /** The file is not used if the content was replaced while it was written. */
    private boolean publish(Path beside) throws IOException {
        boolean current = writer.replacements() == replacements;
        if (current) {
            // A replacement that begins from now on marks the file.
            Files.move(
                    beside,
                    path,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        }
        return current;
    }

    private StoredHistory opened(StoreFile file) {
        open.add(file);
        return new StoredHistory(file, nanos, counts);
    }

    /** Called by the writer of the mirror, which waits for nothing. */
    private void invalidate() {
        open.forEach(StoreFile::invalidate);
    }

    private void delete() {
        try {
            if (!abandoned && owned.getAsBoolean()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            counts.failed(path, e);
        }
    }

    /** Gives up the file. */
    synchronized void remove() {
        invalidate();
        close();
        delete();
    }

    /** Leaves the file to another one of the same path. */
    synchronized void abandon() {
        abandoned = true;
        close();
    }

    /** Closes the file, from which another process continues. */
    synchronized void close() {
        close(stored);
        stored = null;
    }

    private void close(@Nullable StoredHistory ended) {
        try {
            if (ended != null) {
                open.remove(ended.file());
                ended.file().close();
            }
        } catch (IOException e) {
            counts.failed(path, e);
        }
    }
}
