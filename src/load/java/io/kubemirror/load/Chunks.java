package io.kubemirror.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Takes the framing of an HTTP/1.1 answer off: its head, and the chunks of its body. */
final class Chunks {

    private static final int RADIX = 16;

    private final StringBuilder line = new StringBuilder();
    private String status = "";
    private boolean inBody;
    private int left;
    private byte[] payload = new byte[1 << 12];
    private int length;

    /** Takes bytes as they were read; what they carry is {@link #text} then. */
    void take(ByteBuffer buffer) {
        while (buffer.hasRemaining()) {
            if (left > 0) {
                copy(buffer);
            } else {
                frame((char) buffer.get());
            }
        }
    }

    private void copy(ByteBuffer buffer) {
        int count = Math.min(left, buffer.remaining());
        if (length + count > payload.length) {
            payload = Arrays.copyOf(payload, 2 * (length + count));
        }
        buffer.get(payload, length, count);
        length += count;
        left -= count;
    }

    private void frame(char next) {
        if (next != '\n') {
            line.append(next);
            return;
        }
        String complete = line.toString().trim();
        line.setLength(0);
        if (status.isEmpty()) {
            status = complete;
        } else if (!inBody) {
            inBody = complete.isEmpty();
        } else if (!complete.isEmpty()) {
            left = Integer.parseInt(complete, RADIX);
        }
    }

    /** The first line of the answer, empty before it has come. */
    String status() {
        return status;
    }

    /** What has come and was not {@linkplain #consume consumed} yet, a character for each byte. */
    String text() {
        return new String(payload, 0, length, StandardCharsets.ISO_8859_1);
    }

    /** Forgets so many bytes of the text. */
    void consume(int count) {
        length -= count;
        if (length > 0) {
            System.arraycopy(payload, count, payload, 0, length);
        } else if (payload.length > 1 << 12) {
            payload = new byte[1 << 12];
        }
    }
}
