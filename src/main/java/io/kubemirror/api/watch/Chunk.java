package io.kubemirror.api.watch;

import org.springframework.util.function.SingletonSupplier;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;

/**
 * Encodes a batch of frames as one chunk of HTTP/1.1 (RFC 9112, 7.1) in a direct buffer that can be
 * written to a socket.
 *
 * <p>Most watches are sent the same frames as the previous one, so the chunk is encoded again only
 * if the frames differ. Confined to one thread.
 */
final class Chunk {

    /** Room for a full batch whose last object has a few kilobytes, and for the chunk framing. */
    private static final int ROOM = FrameBatch.FULL + 16 * 1024;

    private static final byte[] LINE_BREAK = {'\r', '\n'};

    /** The size of the chunk framing: the length in hexadecimal digits, and two line breaks. */
    private static final int AROUND = 2 * Integer.BYTES + 2 * LINE_BREAK.length;

    /** Allocated on first use, because large batches are never written from it. */
    private final Supplier<ByteBuffer> room =
            SingletonSupplier.of(() -> ByteBuffer.allocateDirect(ROOM));

    private ByteBuffer chunk = ByteBuffer.allocate(0);
    private List<byte[]> content = List.of();

    /** Returns the chunk of a batch. It must be written before this method is called again. */
    ByteBuffer of(FrameBatch batch) {
        if (!holds(batch.frames())) {
            fill(batch);
        }
        return chunk.rewind();
    }

    /**
     * Compares by identity because frames are shared; comparing bytes would cost as much as copying
     * them.
     */
    @SuppressWarnings("ReferenceEquality")
    private boolean holds(List<byte[]> frames) {
        int count = content.size();
        if (count != frames.size()) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (content.get(i) != frames.get(i)) {
                return false;
            }
        }
        return true;
    }

    private void fill(FrameBatch batch) {
        int needed = batch.bytes() + AROUND;
        chunk = needed <= ROOM ? room.get().clear() : ByteBuffer.allocate(needed);
        String size = Integer.toHexString(batch.bytes());
        chunk.put(size.getBytes(StandardCharsets.US_ASCII)).put(LINE_BREAK);
        batch.frames().forEach(chunk::put);
        chunk.put(LINE_BREAK).flip();
        content = batch.frames();
    }
}
