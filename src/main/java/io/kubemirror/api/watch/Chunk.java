package io.kubemirror.api.watch;

import org.springframework.util.function.SingletonSupplier;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;

/**
 * A portion as one chunk of HTTP/1.1 (RFC 9112, 7.1), outside of the heap, where it can be written
 * from.
 *
 * <p>Most watches are sent what the one before was sent, so the chunk is made anew only for other
 * frames than those in it. For one thread.
 */
final class Chunk {

    /** A full portion with an object of a few kilobytes as its last, and what is around it. */
    private static final int ROOM = FrameBatch.FULL + 16 * 1024;

    private static final byte[] LINE_BREAK = {'\r', '\n'};

    /** Its size in hexadecimal digits, and two line breaks. */
    private static final int AROUND = 2 * Integer.BYTES + 2 * LINE_BREAK.length;

    /** Made when it is needed, as what is large never is written from it. */
    private final Supplier<ByteBuffer> room =
            SingletonSupplier.of(() -> ByteBuffer.allocateDirect(ROOM));

    private ByteBuffer chunk = ByteBuffer.allocate(0);
    private List<byte[]> content = List.of();

    /** The chunk of a portion, to be written before the next is asked for. */
    ByteBuffer of(FrameBatch batch) {
        if (!holds(batch.frames())) {
            fill(batch);
        }
        return chunk.rewind();
    }

    /** Shared frames are the same; to compare their bytes would cost as much as to copy them. */
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
