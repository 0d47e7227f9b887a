package io.kubemirror.model;

/**
 * Decimal 64-bit numbers as Go parses them: ASCII digits after an optional sign.
 *
 * <p>Rejected: {@link Long#parseLong} alone. It accepts the digits of every script, and it throws
 * an exception for a label that is not a number, which is common.
 */
final class Int64 {

    private Int64() {}

    /** Returns whether {@link Long#parseLong} may be called with the text. */
    static boolean isValid(String text) {
        boolean signed = !text.isEmpty() && (text.charAt(0) == '-' || text.charAt(0) == '+');
        int start = signed ? 1 : 0;
        return start < text.length() && fits(text, start, signed && text.charAt(0) == '-');
    }

    /** Counts downwards, since the negative range is the larger one. */
    private static boolean fits(String text, int start, boolean negative) {
        long value = 0;
        for (int i = start; i < text.length(); i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9 || value < (Long.MIN_VALUE + digit) / 10) {
                return false;
            }
            value = value * 10 - digit;
        }
        return negative || value != Long.MIN_VALUE;
    }
}
