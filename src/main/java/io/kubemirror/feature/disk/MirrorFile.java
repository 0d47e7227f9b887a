package io.kubemirror.feature.disk;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import module java.base;

import org.apache.commons.io.function.IOConsumer;

import java.nio.channels.FileChannel.MapMode;

/**
 * A file of records, which is either new, or read to its end and then appended to. The checksum of
 * a record covers all records before it: what follows a record that is not as it was written is cut
 * off. The format is described at the package.
 *
 * <p>Records are in the file when {@link #flush} returns, and survive the end of the process; a
 * power failure may lose the last ones. After an exception, the file must not be used any more.
 *
 * <p>Used by one thread at a time, except for {@link #invalidate}.
 */
final class MirrorFile implements AutoCloseable {

    /** The length of the beginning of a file. */
    static final int PREAMBLE = 16;

    /** {@code KUBEMIR6}, with the version of the format. */
    private static final long MAGIC = 0x4b55_4245_4d49_5236L;

    /** What a file begins with whose content readers do not see any more. */
    private static final byte REPLACED = 0;

    /** The length of what comes before each record: its length and its checksum. */
    private static final int HEAD = 2 * Integer.BYTES;

    /** A length that is wrong must not cost more memory than this. */
    private static final int MAX_RECORD = 32 << 20;

    private static final int BUFFER = 256 * 1024;

    private final FileChannel channel;
    private final OutputStream out;

    /** Closed under the monitor, under which nothing is done but to write memory. */
    private final Arena mapped = Arena.ofShared();

    /** The beginning of the file. Written under the monitor, while the arena is open. */
    private final ByteBuffer beginning;

    /** Whether the beginning could not be written. */
    private volatile boolean damaged;

    private volatile boolean aborted;

    /** The checksum of everything before the next record. */
    private int sum;

    private long size = PREAMBLE;

    private MirrorFile(Path path, Set<OpenOption> options) throws IOException {
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
        out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER);
    }

    /** Creates a file that only its owner can read. */
    static MirrorFile create(Path path) throws IOException {
        MirrorFile file = new MirrorFile(path, Set.of(CREATE_NEW, READ, WRITE));
        long salt = new SecureRandom().nextLong();
        file.channel.write(ByteBuffer.allocate(PREAMBLE).putLong(MAGIC).putLong(salt).flip());
        file.sum = Long.hashCode(salt);
        return file;
    }

    /** Opens a file. {@link #read} comes next. */
    static MirrorFile open(Path path) throws IOException {
        if (Files.size(path) < PREAMBLE) {
            throw new IOException("it is no file of kubemirror");
        }
        return new MirrorFile(path, Set.of(READ, WRITE, NOFOLLOW_LINKS));
    }

    /**
     * Reads all records, up to one that is not complete or not as it was written.
     *
     * @throws IOException if the file is not to be used
     */
    void read(IOConsumer<Payload> record) throws IOException {
        DataInputStream in =
                new DataInputStream(
                        new BufferedInputStream(Channels.newInputStream(channel), BUFFER));
        long magic = in.readLong();
        if (magic != MAGIC) {
            boolean replaced = magic == (MAGIC & ~0L >>> Byte.SIZE);
            throw new IOException(replaced ? "its content was replaced" : "it has another format");
        }
        sum = Long.hashCode(in.readLong());
        for (byte[] next = next(in); next.length > 0; next = next(in)) {
            size += HEAD + next.length;
            record.accept(new Payload(ByteBuffer.wrap(next)));
        }
        channel.truncate(size).position(size);
    }

    /** Returns nothing if there is no further record. */
    private byte[] next(DataInputStream in) throws IOException {
        long left = channel.size() - size - HEAD;
        if (left < 0) {
            return new byte[0];
        }
        int length = in.readInt();
        int expected = in.readInt();
        if (length < 0 || length > Math.min(left, MAX_RECORD)) {
            return new byte[0];
        }
        byte[] payload = in.readNBytes(length);
        int found = checksum(ByteBuffer.wrap(payload));
        if (found != expected) {
            return new byte[0];
        }
        sum = found;
        return payload;
    }

    private int checksum(ByteBuffer payload) {
        CRC32C next = new CRC32C();
        next.update(ByteBuffer.allocate(Integer.BYTES).putInt(sum).flip());
        next.update(payload);
        return (int) next.getValue();
    }

    /** Lets the next record fail, because the memory of what is being written is needed. */
    void abort() {
        aborted = true;
    }

    /** Appends a record. {@link #flush} comes later. */
    void append(Payload record) throws IOException {
        if (aborted) {
            throw new IOException("the disk is slow, and memory is low");
        }
        ByteBuffer payload = record.written();
        int length = payload.remaining();
        if (length > MAX_RECORD) {
            throw new IOException("an object is larger than " + MAX_RECORD + " bytes");
        }
        sum = checksum(payload.duplicate());
        out.write(ByteBuffer.allocate(HEAD).putInt(length).putInt(sum).array());
        out.write(payload.array(), payload.arrayOffset() + payload.position(), length);
        size += HEAD + length;
    }

    /** Writes what has been appended. */
    void flush() throws IOException {
        out.flush();
    }

    /** Waits until everything is on the device. */
    void force() throws IOException {
        flush();
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
        synchronized (this) {
            if (mapped.scope().isAlive()) {
                mapped.close();
            }
        }
        channel.close();
    }
}
