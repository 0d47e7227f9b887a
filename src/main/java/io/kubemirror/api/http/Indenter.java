package io.kubemirror.api.http;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Indents JSON that is written through it by two blanks, as Go does: empty objects and arrays stay
 * on one line, and no newline ends the document (list-watch.md#ne-12).
 *
 * <p>Only white space between tokens changes, so numbers and escapes stay as they are
 * (list-watch.md#en-7, #tr-7). Rejected: Jackson's parser and generator, which decode every string
 * and write it with escapes of their own, and which need the whole document first.
 */
public final class Indenter extends FilterOutputStream {

    private static final byte[] BLANKS = " ".repeat(64).getBytes(StandardCharsets.US_ASCII);

    private int depth;
    private boolean inString;
    private boolean escaped;

    /** Whether the last token opened an object or array that has nothing in it so far. */
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

    /** The text of a string is passed on as it comes, in one piece. */
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
        // An empty object or array is closed where it was opened.
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
