package io.kubemirror.web;

/** Text as Go prints it in messages. */
final class GoText {

    private GoText() {}

    /** A string in double quotes, as {@code %q} and {@code strconv.Quote} write it. */
    static String quote(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        text.codePoints().forEach(c -> append(c, quoted));
        return quoted.append('"').toString();
    }

    private static void append(int c, StringBuilder quoted) {
        switch (c) {
            case '"', '\\' -> quoted.append('\\').append((char) c);
            case '\n' -> quoted.append("\\n");
            case '\r' -> quoted.append("\\r");
            case '\t' -> quoted.append("\\t");
            default -> {
                if (c < ' ' || c == 0x7f) {
                    quoted.append(String.format("\\x%02x", c));
                } else {
                    quoted.appendCodePoint(c);
                }
            }
        }
    }
}
