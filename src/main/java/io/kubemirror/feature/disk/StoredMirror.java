package io.kubemirror.feature.disk;

import module java.base;

import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Reading.Progress;
import io.kubemirror.mirror.MirrorMemory.OverBudgetException;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Restoration;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.SnapshotPins.Pin;
import io.kubemirror.mirror.View;
import io.kubemirror.model.ResourceType;

import okio.ByteString;

import org.jspecify.annotations.Nullable;

/**
 * The file of one mirror. It follows the log as a watch does. When it is twice as large as at its
 * beginning, or cannot follow, the present history is written anew.
 *
 * <p>A file either leads to a state that the mirror had, or it is not used: it is marked before
 * readers see content that does not follow from its changes, and removed when it cannot be written.
 *
 * <p>The monitor guards the file and its name, and is held while the disk is used. The writer of
 * the mirror never takes it: it marks the file in memory, and waits for no disk.
 */
final class StoredMirror {

    /** The time between two new files. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** The time after a failure. */
    private static final Duration RETRY = Duration.ofMinutes(1);

    /** Below this, a file is not written anew. */
    private static final long SMALL = 1024 * 1024;

    private static final String EXTENSION = ".mirror";

    private final MirrorWriter writer;
    private final Path path;
    private final StoredHistory history;

    /** Another mirror that used the same path; null once it does not any more. */
    private @Nullable StoredMirror before;

    /**
     * The file, null if there is none. It is set before it is checked that the content has not been
     * replaced, and the writer of the mirror looks at it after it has begun to replace the content:
     * a file that is complete is marked, or is not out of date.
     */
    private volatile @Nullable MirrorFile file;

    /** Everything up to it is in the file. */
    private Cursor cursor;

    /** The {@linkplain MirrorWriter#replacements replacements} of the content before the file. */
    private long replacements;

    /** The size of the file when it was written as a whole, 0 until then. */
    private long started;

    /** When another file may be begun. */
    private Instant next = Instant.MIN;

    /** Whether the file has been read, before which it is not written. */
    private boolean filled;

    /** Whether another mirror uses the same path. */
    private boolean abandoned;

    /**
     * Creates the file of a mirror, which is not read or written yet.
     *
     * @param before another mirror that has used the same path, null for none
     */
    StoredMirror(
            MirrorWriter writer, Path path, StoredHistory history, @Nullable StoredMirror before) {
        this.writer = writer;
        this.path = path;
        this.history = history;
        this.before = before;
        this.cursor = writer.mirror().view().cursor();
        writer.beforeReplacement(this::invalidate);
    }

    /** Returns the file of a mirror. */
    static Path path(Path directory, Mirror mirror) {
        String resource = mirror.scope().resource().text().replaceAll("[^a-z0-9.-]", "_");
        String scope = mirror.scope().toString() + " " + mirror.scope().extent();
        String digest = ByteString.encodeUtf8(scope).sha256().substring(0, 8).hex();
        return directory.resolve(resource + "-" + digest + EXTENSION);
    }

    /** Returns whether a path is that of a mirror. */
    static boolean isPath(Path path) {
        return path.toString().endsWith(EXTENSION);
    }

    Mirror mirror() {
        return writer.mirror();
    }

    Path path() {
        return path;
    }

    /** Returns the size of the file, 0 if there is none. */
    long size() {
        MirrorFile present = file;
        return present == null ? 0 : present.size();
    }

    /**
     * Fills the empty mirror from the file. Returns false if there is none.
     *
     * @param owned whether no other process uses the file
     * @throws IOException if the file is not used; it does not exist then
     */
    synchronized boolean restore(Instant now, boolean owned) throws IOException {
        if (before != null) {
            before.abandon();
            before = null;
        }
        filled = true;
        if (abandoned || !owned || !Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        Restoration restoration = writer.restoration();
        try {
            MirrorFile found = MirrorFile.open(path);
            file = found;
            StoredHistory.Reader reader = history.new Reader(restoration, now);
            found.read(reader::read);
            reader.complete();
            started = found.size();
        } catch (IOException | RuntimeException | Error e) {
            restoration.discard();
            close();
            Files.deleteIfExists(path);
            throw switch (e) {
                case IOException known -> known;
                case Error error -> throw error;
                case OverBudgetException _ -> new IOException("it does not fit into the memory");
                default -> new IOException("it makes no sense", e);
            };
        }
        cursor = mirror().view().cursor();
        replacements = writer.replacements();
        return true;
    }

    /**
     * Stores what has happened since the last time.
     *
     * @param max the maximum size of the file, negative if others need all of it
     * @return whether the disk has everything that should be there
     * @throws IOException if that is not possible; the file does not exist then, if possible, as
     *     after anything else that is thrown
     */
    synchronized boolean store(Instant now, long max) throws IOException {
        if (abandoned || !filled) {
            return true;
        }
        try {
            MirrorFile present = file;
            boolean current = present != null && follows(present, now);
            boolean large = size() > 2 * started + SMALL;
            if ((!current || large) && !now.isBefore(next)) {
                write(now, max);
                return true;
            }
            if (size() > max) {
                throw new IOException("kubemirror.persistence.max-bytes is exceeded");
            }
            return current || !isStored();
        } catch (IOException | RuntimeException | Error e) {
            next = now.plus(RETRY);
            remove();
            throw e;
        }
    }

    /** Appends what is new; returns false if the file does not lead to the present state. */
    private boolean follows(MirrorFile to, Instant now) throws IOException {
        to.check();
        boolean ended = started > 0;
        while (writer.replacements() == replacements
                && mirror().read(cursor) instanceof Progress read) {
            if (ended && read.next().equals(cursor)) {
                return true;
            }
            history.append(read, to, now);
            cursor = read.next();
            ended = !read.isFull();
        }
        return false;
    }

    /** Writes the oldest state, and the changes after it. */
    private void write(Instant now, long max) throws IOException {
        remove();
        replacements = writer.replacements();
        View oldest = oldest();
        if (!isStored() || replacements % 2 != 0) {
            return;
        }
        if (mirror().bytes() > max) {
            throw new IOException("kubemirror.persistence.max-bytes is too small");
        }
        next = now.plus(PAUSE);
        Files.deleteIfExists(path);
        MirrorFile fresh = MirrorFile.create(path);
        file = fresh;
        started = 0;
        // A replacement that begins from now on marks the file.
        Snapshot state = Objects.requireNonNull(oldest.snapshot());
        try (Pin _ = mirror().pin(state, fresh::abort)) {
            history.begin(oldest, fresh);
        }
        if (!follows(fresh, now)) {
            remove();
            return;
        }
        fresh.force();
        started = fresh.size();
    }

    /** Returns the view of the oldest state, from which the cursor goes on. */
    private View oldest() {
        View view = mirror().view();
        cursor = new Cursor(view.recent().base().revision(), view.era(), view.recent().first());
        return view.oldest();
    }

    /** Secrets are not stored. */
    private boolean isStored() {
        ResourceType type = mirror().type().orElse(null);
        boolean secrets = type != null && type.group().isEmpty() && type.kind().equals("Secret");
        return mirror().snapshot().isPresent() && !secrets;
    }

    /** Called by the writer of the mirror, which waits for nothing. */
    private void invalidate() {
        MirrorFile present = file;
        if (present != null) {
            present.invalidate();
        }
    }

    /** Gives up the file, unless another mirror uses it. */
    synchronized void remove() throws IOException {
        if (file != null) {
            // If it cannot be removed, it is not used.
            invalidate();
            close();
            Files.deleteIfExists(path);
        }
    }

    /** Leaves the file to another mirror of the same path. */
    synchronized void abandon() throws IOException {
        if (before != null) {
            before.abandon();
            before = null;
        }
        abandoned = true;
        close();
    }

    /** Closes the file, from which another process continues. */
    synchronized void close() throws IOException {
        MirrorFile present = file;
        file = null;
        if (present != null) {
            present.close();
        }
    }
}
