package io.kubemirror.load;

import module java.base;

/**
 * Takes the framing of an HTTP/1.1 answer off: its head, and the chunks of its body. What comes in
 * whole lines, as nearly everything does, is handed on without being kept.
 */
final class ChunkDecoder {

    private static final int RADIX = 16;
    private static final byte[] NOTHING = {};

    private final Consumer<String> lines;
    private final StringBuilder line = new StringBuilder();
    private String status = "";
    private boolean inBody;
    private int left;
    private byte[] begun = NOTHING;

    /**
     * Creates a decoder without input.
     *
     * @param lines takes one or several whole lines of the body, a character for each byte
     */
    ChunkDecoder(Consumer<String> lines) {
        this.lines = lines;
    }

    /** Takes bytes as they were read. */
    void take(byte[] bytes, int end) {
        int at = 0;
        while (at < end) {
            if (left > 0) {
                int count = Math.min(left, end - at);
                payload(bytes, at, count);
                left -= count;
                at += count;
            } else if (inBody) {
                at = size(bytes, at, end);
            } else {
                head((char) bytes[at++]);
            }
        }
    }

    private void payload(byte[] bytes, int from, int count) {
        int whole = count;
        while (whole > 0 && bytes[from + whole - 1] != '\n') {
            whole--;
        }
        if (whole > 0) {
            lines.accept(text(begun) + new String(bytes, from, whole, StandardCharsets.ISO_8859_1));
            begun = NOTHING;
        }
        if (whole < count) {
            int before = begun.length;
            begun = Arrays.copyOf(begun, before + count - whole);
            System.arraycopy(bytes, from + whole, begun, before, count - whole);
        }
    }

    private static String text(byte[] bytes) {
        return bytes.length == 0 ? "" : new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** The size of the next chunk, in front of which the end of the last may still stand. */
    private int size(byte[] bytes, int from, int end) {
        int at = from;
        while (at < end) {
            byte next = bytes[at++];
            if (next == '\n') {
                if (!line.isEmpty()) {
                    left = Integer.parseInt(line, 0, line.length(), RADIX);
                    line.setLength(0);
                    return at;
                }
            } else if (next != '\r') {
                line.append((char) next);
            }
        }
        return at;
    }

    private void head(char next) {
        if (next != '\n') {
            line.append(next);
            return;
        }
        String complete = line.toString().trim();
        line.setLength(0);
        if (status.isEmpty()) {
            status = complete;
        } else {
            inBody = complete.isEmpty();
        }
    }

    /** Returns the status line, empty before it has arrived. */
    String status() {
        return status;
    }
}
