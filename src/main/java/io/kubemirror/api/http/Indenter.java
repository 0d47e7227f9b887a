package io.kubemirror.api.http;

import module java.base;

/**
 * Indents JSON by two spaces while it is written, as Go does: empty objects and arrays stay on one
 * line, and the document does not end with a newline (list-watch.md#ne-12).
 *
 * <p>Only white space between tokens changes, so numbers and escapes stay as they are
 * (list-watch.md#en-7, #tr-6). Rejected: Jackson's parser and generator, because they decode every
 * string and write it with different escapes, and need the complete document first.
 */
public final class Indenter extends FilterOutputStream {

    private static final byte[] BLANKS = " ".repeat(64).getBytes(StandardCharsets.US_ASCII);

    private int depth;
    private boolean inString;
    private boolean escaped;

    /** Whether the last token opened an object or array that is still empty. */
    private boolean opened;

    public Indenter(OutputStream out) {
        super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int end = offset + length;
        for (int i = offset; i < end; i++) {
            if (inString) {
                int rest = endOfString(bytes, i, end);
                out.write(bytes, i, rest - i);
                i = rest - 1;
            } else {
                write(bytes[i]);
            }
        }
    }

    @Override
    public void write(int b) throws IOException {
        if (inString) {
            inString = !endsString(b);
            out.write(b);
        } else if (b > ' ') {
            token((char) b);
        }
    }

    /** Passes the content of a string through unchanged, in one piece. */
    private int endOfString(byte[] bytes, int from, int end) {
        int i = from;
        while (i < end && inString) {
            inString = !endsString(bytes[i++]);
        }
        return i;
    }

    private boolean endsString(int b) {
        boolean literal = escaped;
        escaped = !literal && b == '\\';
        return !literal && b == '"';
    }

    private void token(char c) throws IOException {
        boolean closes = c == '}' || c == ']';
        if (closes) {
            depth--;
        }
        // An empty object or array is closed on the line that opened it.
        if (opened != closes) {
            newLine();
        }
        opened = c == '{' || c == '[';
        if (opened) {
            depth++;
        }
        out.write(c);
        if (c == ',') {
            newLine();
        } else if (c == ':') {
            out.write(' ');
        }
        inString = c == '"';
    }

    private void newLine() throws IOException {
        out.write('\n');
        for (int rest = 2 * depth; rest > 0; rest -= BLANKS.length) {
            out.write(BLANKS, 0, Math.min(rest, BLANKS.length));
        }
    }
}
