package io.kubemirror.model;

import module java.base;

/** Text as Go treats it: its quotes, its order, and its numbers. */
public final class GoString {

    /** The control characters that have a name, and the names. */
    private static final String CONTROLS = "\007\b\f\n\r\t\013";

    private static final String CONTROL_NAMES = "abfnrtv";

    private GoString() {}

    /**
     * Returns the text in double quotes, with escapes, as Go's {@code %q} prints it in messages of
     * the API server.
     *
     * <p>The Unicode tables of this JDK decide which characters are printable; they may be newer
     * than those of the API server's Go version. Bytes that are not UTF-8, which Go prints as
     * {@code \xff}, cannot occur: they are replaced when the query is decoded.
     */
    public static String quote(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        text.codePoints().forEach(codePoint -> append(quoted, codePoint));
        return quoted.append('"').toString();
    }

    private static void append(StringBuilder quoted, int codePoint) {
        int control = CONTROLS.indexOf(codePoint);
        if (codePoint == '"' || codePoint == '\\') {
            quoted.append('\\').append((char) codePoint);
        } else if (control >= 0) {
            quoted.append('\\').append(CONTROL_NAMES.charAt(control));
        } else if (isPrintable(codePoint)) {
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

    /**
     * Compares two texts by their UTF-8 bytes, as etcd orders keys and the API server sorts,
     * without encoding them.
     *
     * <p>The order differs from {@link String#compareTo} only beyond the Basic Multilingual Plane:
     * a surrogate represents a code point above every other {@code char}.
     */
    public static int compare(String one, String other) {
        int common = Math.min(one.length(), other.length());
        for (int i = 0; i < common; i++) {
            char a = one.charAt(i);
            char b = other.charAt(i);
            if (a != b) {
                int bySurrogate =
                        Boolean.compare(Character.isSurrogate(a), Character.isSurrogate(b));
                return bySurrogate != 0 ? bySurrogate : Character.compare(a, b);
            }
        }
        return Integer.compare(one.length(), other.length());
    }

    /**
     * Returns whether the text is a decimal 64-bit number, ASCII digits after an optional sign, so
     * that {@link Long#parseLong} may be called with it.
     *
     * <p>Rejected: {@link Long#parseLong} alone. It accepts the digits of every script, and it
     * throws an exception for a label that is not a number, which is common.
     */
    public static boolean isInt64(String text) {
        int start = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
        return text.length() > start
                && text.chars().skip(start).allMatch(digit -> digit >= '0' && digit <= '9')
                && new BigInteger(text).bitLength() < Long.SIZE;
    }
}
