package io.kubemirror.feature.disk;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.MirrorFollower.History;
import io.kubemirror.mirror.MirrorFollower.Step;
import io.kubemirror.mirror.UnknownStates;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Writes the file of a mirror, which {@link StoreReader} reads. A record is in the file when the
 * method that writes it returns, and survives the end of the process; a power failure may lose the
 * last ones. After a failure, the file must not be used any more.
 *
 * <p>Used by one thread at a time, except for {@link #invalidate}.
 */
final class StoreWriter implements AutoCloseable {

    /** The maximum of the bytes written, compared with the objects in the changes. */
    private static final double MAX_WRITTEN = 1.45;

    /** Below this, a file is not replaced. */
    private static final long SMALL = 1024 * 1024;

    /** Beyond this many times the state, a file is replaced although objects are tiny. */
    private static final long MAX_STATES = 8;

    /** The size from which on a record ends. */
    private static final int RECORD = 256 * 1024;

    private final FileChannel channel;

    /** Closed under the monitor, under which nothing is done but to write memory. */
    private final Arena mapped = Arena.ofShared();

    /** The beginning of the file. Written under the monitor, while the arena is open. */
    private final MemorySegment beginning;

    private final byte[] salt;
    private final @Nullable RecordCipher cipher;
    private final LongSupplier nanos;
    private final StoreCounts counts;
    private long sequence;
    private long size;

    /** The size of the file when it was new, and of the objects in the changes since. */
    private long started;

    private long content;

    /** When the last record was written. */
    private Instant last = Instant.MIN;

    /** What the next record says. */
    private Instant now = Instant.MIN;

    private Instant contact = Instant.EPOCH;
    private Revision revision = Revision.ZERO;
    private Revision lost = Revision.ZERO;
    private UnknownStates lapse = StoreReader.NONE;
    private List<UnknownStates> unknown = List.of();

    private StoreWriter(
            FileChannel channel,
            byte[] salt,
            @Nullable RecordCipher cipher,
            LongSupplier nanos,
            StoreCounts counts)
            throws IOException {
        this.channel = channel;
        try {
            beginning = channel.map(MapMode.READ_WRITE, 0, StoreReader.PREAMBLE, mapped);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        this.salt = salt;
        this.cipher = cipher;
        this.nanos = nanos;
        this.counts = counts;
    }

    /**
     * Creates a file that only its owner can read, with its first record.
     *
     * @param secret the key of all other records, null for none
     * @param nanos the clock of the writer of the mirror
     * @param counts counts what is written
     */
    static StoreWriter create(
            Path path,
            StoreHeader header,
            byte @Nullable [] secret,
            RecordBuffer buffer,
            LongSupplier nanos,
            StoreCounts counts)
            throws IOException {
        byte[] salt = new byte[StoreReader.SALT];
        new SecureRandom().nextBytes(salt);
        FileChannel channel =
                FileChannel.open(
                        path,
                        Set.of(CREATE_NEW, READ, WRITE),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        buffer.clear();
        header.write(buffer);
        byte[] first = Arrays.copyOf(buffer.array(), buffer.size());
        RecordCipher cipher = secret == null ? null : new RecordCipher(secret, salt, first);
        StoreWriter writer = new StoreWriter(channel, salt, cipher, nanos, counts);
        try {
            ByteBuffer preamble = ByteBuffer.allocate(StoreReader.PREAMBLE);
            writer.write(
                    preamble.put(StoreReader.MAGIC).putInt(StoreReader.FORMAT).put(salt).flip());
            writer.frame(first, first.length);
            return writer;
        } catch (IOException | RuntimeException e) {
            writer.close();
            throw e;
        }
    }

    /**
     * Continues a file after its last valid record, and cuts off what follows.
     *
     * @param reached the revision of that record
     */
    static StoreWriter reopen(
            Path path,
            StoreReader.Trusted stored,
            Revision reached,
            LongSupplier nanos,
            StoreCounts counts)
            throws IOException {
        FileChannel channel = FileChannel.open(path, READ, WRITE);
        StoreWriter writer =
                new StoreWriter(channel, stored.salt(), stored.cipher(), nanos, counts);
        try {
            channel.truncate(stored.end());
            channel.position(stored.end());
        } catch (IOException e) {
            writer.close();
            throw e;
        }
        writer.sequence = stored.records();
        writer.size = stored.end();
        writer.started = stored.baseEnd();
        writer.content = stored.content();
        writer.last = stored.time();
        writer.revision = reached;
        writer.lost = stored.lost();
        writer.lapse = stored.lapse();
        return writer;
    }

    /**
     * Makes the file unusable for the next process, as the file of a killed process stays: by a
     * byte of its memory, without an operation on the file, which might wait for the disk. For any
     * thread; does nothing after {@link #close}.
     */
    synchronized void invalidate() {
        if (mapped.scope().isAlive()) {
            beginning.set(ValueLayout.JAVA_BYTE, 0, StoreReader.REPLACED);
        }
    }

    /** Returns the size of the file. */
    long size() {
        return size;
    }

    /** Returns when the last record was written. */
    Instant last() {
        return last;
    }

    /**
     * Returns whether a file with the whole history should take the place of this one.
     *
     * @param bytes the size of the present state
     */
    boolean isWorthReplacing(long bytes) {
        long state = Math.max(started, bytes);
        long appended = size - started;
        return appended >= SMALL
                && (MAX_WRITTEN * content - appended >= state
                        || appended > MAX_STATES * (state + SMALL));
    }

    /**
     * Sets the times that the records from now on contain.
     *
     * @param present not before that of the last record
     * @param heard when the server was last heard from
     */
    void setTimes(Instant present, Instant heard) {
        now = present;
        contact = heard;
    }

    /**
     * Writes the whole history, and waits until it is on the device. Returns false if the memory of
     * the state is needed, so that it cannot be written.
     */
    boolean write(History history, RecordBuffer buffer) throws IOException {
        unknown = history.unknown();
        lost = history.lost();
        lapse = history.lapse().orElse(StoreReader.NONE);
        revision = history.base().revision();
        if (!writeObjects(history, buffer)) {
            return false;
        }
        buffer.octet(StoreReader.BASE).number(history.base().size());
        head(buffer);
        buffer.text(revision.digits());
        write(buffer);
        append(history.changes(), history.hidden(), history.revision(), StoreReader.MORE, buffer);
        channel.force(/* metaData= */ true);
        started = size;
        content = 0;
        return true;
    }

    private boolean writeObjects(History history, RecordBuffer buffer) throws IOException {
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
        return true;
    }

    /** Appends what has happened, in as many records as its size needs. */
    void append(Step.Advanced step, RecordBuffer buffer) throws IOException {
        unknown = step.unknown();
        append(step.changes(), step.hidden(), step.revision(), StoreReader.END, buffer);
    }

    /**
     * Appends changes and hidden updates in the order of their revisions: the watch that follows a
     * record begins at its revision, and brings no update before that.
     *
     * @param split ends all records but the last
     */
    private void append(
            List<LoggedChange> changes,
            Collection<KubeObject> hidden,
            Revision reached,
            int split,
            RecordBuffer buffer)
            throws IOException {
        Deque<KubeObject> updates = new ArrayDeque<>(hidden.size());
        hidden.stream().sorted(Comparator.comparing(KubeObject::revision)).forEach(updates::add);
        begin(buffer);
        for (LoggedChange logged : changes) {
            refresh(buffer, updates, logged.change().revision(), split);
            entry(buffer, logged);
            passed(logged.change().revision(), split, buffer);
        }
        refresh(buffer, updates, reached, split);
        revision = reached;
        end(buffer, StoreReader.END);
    }

    /** Appends the hidden updates up to a revision. */
    private void refresh(RecordBuffer buffer, Deque<KubeObject> updates, Revision until, int split)
            throws IOException {
        while (!updates.isEmpty() && !updates.getFirst().revision().isAfter(until)) {
            KubeObject object = updates.removeFirst();
            buffer.octet(StoreReader.REFRESH).object(object);
            content += object.json().length;
            passed(object.revision(), split, buffer);
        }
    }

    /** Ends a record that is long enough. */
    private void passed(Revision last, int split, RecordBuffer buffer) throws IOException {
        revision = Revision.later(revision, last);
        if (buffer.size() >= RECORD) {
            end(buffer, split);
            begin(buffer);
        }
    }

    private void begin(RecordBuffer buffer) {
        buffer.clear();
        buffer.octet(StoreReader.CHANGES);
        head(buffer);
    }

    private void head(RecordBuffer buffer) {
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

    private void write(RecordBuffer payload) throws IOException {
        long before = size;
        if (cipher == null) {
            frame(payload.array(), payload.size());
        } else {
            byte[] sealed = cipher.encrypt(sequence, payload.array(), payload.size());
            frame(sealed, sealed.length);
        }
        counts.written(size - before);
    }

    private void frame(byte[] payload, int length) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(StoreReader.FRAME);
        head.putInt(length);
        head.putInt(StoreReader.checksum(salt, sequence, payload, length));
        write(head.flip(), ByteBuffer.wrap(payload, 0, length));
        sequence++;
    }

    private void write(ByteBuffer... buffers) throws IOException {
        for (ByteBuffer last = buffers[buffers.length - 1]; last.hasRemaining(); ) {
            size += channel.write(buffers);
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (this) {
            if (mapped.scope().isAlive()) {
                mapped.close();
            }
        }
        channel.close();
    }
}
