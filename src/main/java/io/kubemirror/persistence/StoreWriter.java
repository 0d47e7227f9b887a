package io.kubemirror.persistence;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Set;

/**
 * Appends records to the file of a mirror. A record is in the file when {@link #append} returns,
 * and survives the end of the process; a power failure may lose the last ones.
 *
 * <p>Used by one thread.
 */
final class StoreWriter implements AutoCloseable {

    private final FileChannel channel;
    private final byte[] salt;
    private final @Nullable RecordCipher cipher;
    private long sequence;
    private long size;

    private StoreWriter(
            FileChannel channel, byte[] salt, @Nullable RecordCipher cipher, long sequence) {
        this.channel = channel;
        this.salt = salt;
        this.cipher = cipher;
        this.sequence = sequence;
    }

    /**
     * Creates a file that only its owner can read, with its first record.
     *
     * @param secret the key of all other records, null for none
     */
    static StoreWriter create(
            Path path, StoreHeader header, byte @Nullable [] secret, RecordBuffer buffer)
            throws IOException {
        byte[] salt = new byte[StoreReader.SALT];
        new SecureRandom().nextBytes(salt);
        FileChannel channel =
                FileChannel.open(
                        path,
                        Set.of(CREATE_NEW, WRITE),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        buffer.clear();
        header.write(buffer);
        byte[] first = Arrays.copyOf(buffer.array(), buffer.size());
        RecordCipher cipher = secret == null ? null : new RecordCipher(secret, salt, first);
        StoreWriter writer = new StoreWriter(channel, salt, cipher, 0);
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

    /** Continues a file after its last valid record, and cuts off what follows. */
    static StoreWriter reopen(Path path, StoreReader.Trusted stored) throws IOException {
        FileChannel channel = FileChannel.open(path, WRITE);
        StoreWriter writer =
                new StoreWriter(channel, stored.salt(), stored.cipher(), stored.records());
        try {
            channel.truncate(stored.end());
            channel.position(stored.end());
            writer.size = stored.end();
            return writer;
        } catch (IOException e) {
            writer.close();
            throw e;
        }
    }

    /** Returns the size of the file. */
    long size() {
        return size;
    }

    /** Appends a record. After a failure, the file must not be used any more. */
    void append(RecordBuffer payload) throws IOException {
        if (cipher == null) {
            frame(payload.array(), payload.size());
        } else {
            byte[] sealed = cipher.encrypt(sequence, payload.array(), payload.size());
            frame(sealed, sealed.length);
        }
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

    /** Waits until everything is on the device. */
    void force() throws IOException {
        channel.force(/* metaData= */ true);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
