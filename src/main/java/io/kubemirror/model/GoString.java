package io.kubemirror.model;

/**
 * Quotes text as Go's {@code %q} prints it, for messages of the API server that quote invalid
 * input.
 *
 * <p>The Unicode tables of this JDK decide which characters are printable; they may be newer than
 * those of the API server's Go version. Bytes that are not UTF-8, which Go prints as {@code \xff},
 * cannot occur: they are replaced when the query is decoded.
 */
public final class GoString {

    private GoString() {}

    /** Returns the text in double quotes, with escapes. */
    public static String quote(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        text.codePoints().forEach(codePoint -> append(quoted, codePoint));
        return quoted.append('"').toString();
    }

    private static void append(StringBuilder quoted, int codePoint) {
        switch (codePoint) {
            case '"', '\\' -> quoted.append('\\').append((char) codePoint);
            case 0x07 -> quoted.append("\\a");
            case '\b' -> quoted.append("\\b");
            case '\f' -> quoted.append("\\f");
            case '\n' -> quoted.append("\\n");
            case '\r' -> quoted.append("\\r");
            case '\t' -> quoted.append("\\t");
            case 0x0b -> quoted.append("\\v");
            default -> appendOther(quoted, codePoint);
        }
    }

    private static void appendOther(StringBuilder quoted, int codePoint) {
        if (isPrintable(codePoint)) {
            quoted.appendCodePoint(codePoint);
        } else if (codePoint < 0x80) {
            quoted.append("\\x%02x".formatted(codePoint));
        } else {
            String format = Character.isBmpCodePoint(codePoint) ? "\\u%04x" : "\\U%08x";
            quoted.append(format.formatted(codePoint));
        }
    }

    /**
     * Letters, marks, numbers, punctuation, and symbols are printable; of all blanks only the space
     * is.
     */
    private static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    false;
            case Character.SPACE_SEPARATOR -> codePoint == ' ';
            default -> true;
        };
    }
}
