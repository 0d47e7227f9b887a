package io.kubemirror.feature.disk;

import static io.kubemirror.feature.disk.StoreFile.UntrustedStoreException.require;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import module java.base;

import io.kubemirror.feature.disk.StoreFile.UntrustedStoreException.Reason;
import io.kubemirror.model.MemoryBudget;

import org.apache.commons.io.function.IOConsumer;
import org.jspecify.annotations.Nullable;

import java.nio.channels.FileChannel.MapMode;

/**
 * A file of records, each with a checksum. The format is described at the package. It is read to
 * its end first, or new; then records are appended.
 *
 * <p>A record is in the file when {@link #append} returns, and survives the end of the process; a
 * power failure may lose the last ones. After an exception, the file must not be used any more.
 *
 * <p>Used by one thread at a time, except for {@link #invalidate}.
 */
final class StoreFile implements AutoCloseable {

    /** The length of the beginning of a file. */
    static final int PREAMBLE = 28;

    /** {@code KUBEMIRR}. */
    private static final long MAGIC = 0x4b55_4245_4d49_5252L;

    /** What a file begins with whose content readers do not see any more. */
    private static final byte REPLACED = 0;

    /** The version of the format. Another one is not read. */
    private static final int FORMAT = 5;

    /** The length of what comes before each record: its length and its checksum. */
    private static final int FRAME = 2 * Integer.BYTES;

    /** Longer than records that do not end with a large object. */
    private static final int BUFFER = 512 * 1024;

    private static final String UNKNOWN = "it is no file of kubemirror";

    private final FileChannel channel;
    private final byte[] salt = new byte[16];
    private long records;
    private long size;

    /** For the record that is read. */
    private final MemoryBudget memory;

    private long reserved;

    /** Closed under the monitor, under which nothing is done but to write memory. */
    private final Arena mapped = Arena.ofShared();

    /** The beginning of the file. Written under the monitor, while the arena is open. */
    private final ByteBuffer beginning;

    /** Whether the beginning could not be written. */
    private volatile boolean damaged;

    private StoreFile(Path path, MemoryBudget memory, Set<StandardOpenOption> options)
            throws IOException {
        this.memory = memory;
        channel =
                FileChannel.open(
                        path,
                        options,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        try {
            beginning = channel.map(MapMode.READ_WRITE, 0, PREAMBLE, mapped).asByteBuffer();
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Creates a file that only its owner can read. {@link #begin} comes next. */
    static StoreFile create(Path path) throws IOException {
        return new StoreFile(path, MemoryBudget.unlimited(), Set.of(CREATE_NEW, READ, WRITE));
    }

    /** Opens a file. {@link #read} comes next. */
    static StoreFile open(Path path, MemoryBudget memory) throws IOException {
        // Opening a named pipe would wait for its writer.
        boolean whole = Files.isRegularFile(path) && Files.size(path) >= PREAMBLE;
        require(whole, Reason.CORRUPT, UNKNOWN);
        return new StoreFile(path, memory, Set.of(READ, WRITE));
    }

    /** Writes the beginning and the first record. */
    void begin(Payload header) throws IOException {
        new SecureRandom().nextBytes(salt);
        write(ByteBuffer.allocate(PREAMBLE).putLong(MAGIC).putInt(FORMAT).put(salt).flip());
        append(header);
    }

    private void check(ByteBuffer preamble) throws UntrustedStoreException {
        require(preamble.get(0) != REPLACED, Reason.REPLACED, "its content was replaced");
        require(preamble.getLong() == MAGIC, Reason.CORRUPT, UNKNOWN);
        int format = preamble.getInt();
        require(format == FORMAT, Reason.VERSION, "its format is version " + format);
        preamble.get(salt);
        size = PREAMBLE;
    }

    /**
     * Reads all records. A last one that is incomplete is cut off: it was being written when the
     * process ended.
     *
     * @param record receives each, the first one included, as a part of {@link #size}
     * @throws UntrustedStoreException if the file is not to be used
     */
    void read(IOConsumer<Payload> record) throws IOException {
        InputStream in = new BufferedInputStream(Channels.newInputStream(channel), BUFFER);
        check(ByteBuffer.wrap(in.readNBytes(PREAMBLE)));
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        for (Payload next = next(in, buffer); next != null; next = next(in, buffer)) {
            record.accept(next);
        }
        reserve(0);
        channel.truncate(size).position(size);
    }

    /** Returns null if there is no complete record. */
    private @Nullable Payload next(InputStream in, ByteBuffer buffer) throws IOException {
        long left = channel.size() - size - FRAME;
        if (left < 0) {
            return null;
        }
        ByteBuffer head = ByteBuffer.wrap(in.readNBytes(FRAME));
        int length = head.getInt();
        if (length < 0 || length > left) {
            return null;
        }
        reserve(2L * length);
        ByteBuffer payload =
                length > BUFFER ? ByteBuffer.allocate(length) : buffer.clear().limit(length);
        in.readNBytes(payload.array(), 0, length);
        boolean same = checksum(payload) == head.getInt();
        require(same || length == left, Reason.CORRUPT, "a checksum does not match");
        if (!same) {
            return null;
        }
        size += FRAME + length;
        records++;
        return new Payload(payload);
    }

    /** A length may be wrong, so it must not cost more memory than there is. */
    private void reserve(long bytes) throws UntrustedStoreException {
        memory.release(reserved);
        reserved = 0;
        require(memory.tryAcquire(bytes), Reason.MEMORY, "a record does not fit into it");
        reserved = bytes;
    }

    /** Returns the checksum of the next record, which another record or file does not have. */
    private int checksum(ByteBuffer payload) {
        CRC32C sum = new CRC32C();
        sum.update(salt);
        sum.update(
                ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                        .putLong(records)
                        .putInt(payload.remaining())
                        .flip());
        sum.update(payload.duplicate());
        return (int) sum.getValue();
    }

    /** Appends a record. */
    void append(Payload record) throws IOException {
        ByteBuffer payload = record.written();
        ByteBuffer head = ByteBuffer.allocate(FRAME).putInt(payload.remaining());
        write(head.putInt(checksum(payload)).flip(), payload);
        records++;
    }

    private void write(ByteBuffer... buffers) throws IOException {
        for (ByteBuffer last = buffers[buffers.length - 1]; last.hasRemaining(); ) {
            size += channel.write(buffers);
        }
    }

    /** Waits until everything is on the device. */
    void force() throws IOException {
        channel.force(/* metaData= */ true);
    }

    /**
     * Checks that nobody else has written the file.
     *
     * @throws IOException if another process has, as a job that cleans up
     */
    void check() throws IOException {
        if (damaged || channel.size() != size) {
            throw new IOException("another process has changed it");
        }
    }

    /** Returns the size of the file. */
    long size() {
        return size;
    }

    /**
     * Makes the file unusable for the next process, as the file of a killed process stays: by a
     * byte of its memory, without an operation on the file, which might wait for the disk. For any
     * thread; does nothing after {@link #close}.
     */
    synchronized void invalidate() {
        try {
            if (mapped.scope().isAlive()) {
                beginning.put(0, REPLACED);
            }
        } catch (InternalError _) {
            // The file has no beginning any more, so no process uses it.
            damaged = true;
        }
    }

    @Override
    public void close() throws IOException {
        memory.release(reserved);
        reserved = 0;
        synchronized (this) {
            if (mapped.scope().isAlive()) {
                mapped.close();
            }
        }
        channel.close();
    }

    /** A stored mirror is not used. */
    static final class UntrustedStoreException extends IOException {

        private static final long serialVersionUID = 1L;

        private final Reason reason;

        /** Why a stored mirror is not used. */
        enum Reason {
            /** Another version of the format, or of kubemirror. */
            VERSION,
            /** Another server. */
            SERVER,
            /** The configuration of the mirror has changed. */
            CONFIGURATION,
            /** The bytes are not those that were written, or make no sense. */
            CORRUPT,
            /** Readers may have seen other content since. */
            REPLACED,
            /** It is from the future. */
            CLOCK,
            /** It does not fit into the memory. */
            MEMORY
        }

        UntrustedStoreException(Reason reason, String message) {
            super(message);
            this.reason = reason;
        }

        /**
         * Checks what has to hold for a stored mirror to be used.
         *
         * @throws UntrustedStoreException if it does not hold
         */
        static void require(boolean holds, Reason reason, String problem)
                throws UntrustedStoreException {
            if (!holds) {
                throw new UntrustedStoreException(reason, problem);
            }
        }

        Reason reason() {
            return reason;
        }
    }
}
