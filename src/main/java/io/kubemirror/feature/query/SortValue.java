package io.kubemirror.feature.query;

import module java.base;

import io.kubernetes.client.custom.Quantity;

import org.jspecify.annotations.Nullable;

/**
 * The order of values: numbers and quantities, then times, then other texts, then what is missing
 * (list-watch.md#or-3). kubectl compares pairs by these rules, too, but the result of its pairs is
 * no total order if quantities and other texts are mixed.
 */
final class SortValue {

    private static final Pattern QUANTITY =
            Pattern.compile(
                    "[+-]?(\\d{1,40}(\\.\\d{0,40})?|\\.\\d{1,40})"
                            + "([eE][+-]?\\d{1,3}|[numkMGTPE]|[KMGTPE]i)?");

    /** The length of the shortest RFC 3339 time. */
    private static final int TIME = "2006-01-02T15:04:05Z".length();

    /** The most digits that a {@code long} always has room for. */
    private static final int LONG = 18;

    private SortValue() {}

    /** Returns what {@link #compare} orders: a number, an instant, or the text itself. */
    static Object of(String text) {
        char first = text.charAt(0);
        if (first > '9') {
            return text;
        }
        if (text.length() >= TIME && text.charAt(10) == 'T') {
            return time(text);
        }
        if (text.length() <= LONG && text.chars().allMatch(c -> isDigit((char) c))) {
            return BigDecimal.valueOf(Long.parseLong(text));
        }
        return QUANTITY.matcher(text).matches() ? Quantity.fromString(text).getNumber() : text;
    }

    /** Returns what {@link #compare} orders, empty for a text that is missing or empty. */
    static Optional<Object> ofNullable(@Nullable String text) {
        return text == null || text.isEmpty() ? Optional.empty() : Optional.of(of(text));
    }

    private static Object time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException other) {
            return text;
        }
    }

    /** Compares two values, null for one that is missing. */
    static int compare(@Nullable Object one, @Nullable Object other) {
        return switch (one) {
            case BigDecimal number when other instanceof BigDecimal than -> number.compareTo(than);
            case Instant time when other instanceof Instant than -> time.compareTo(than);
            case String text when other instanceof String than -> natural(text, than);
            case null, default -> Integer.compare(rank(one), rank(other));
        };
    }

    private static int rank(@Nullable Object value) {
        return switch (value) {
            case BigDecimal _ -> 0;
            case Instant _ -> 1;
            case null -> 3;
            default -> 2;
        };
    }

    /**
     * Compares as people read: digits before other characters, and groups of digits as numbers, of
     * which the one with fewer leading zeros is first.
     */
    private static int natural(String one, String other) {
        int i = afterCommon(one, other);
        int j = i;
        while (i < one.length() && j < other.length()) {
            char a = one.charAt(i);
            char b = other.charAt(j);
            if (isDigit(a) && isDigit(b)) {
                int end = afterDigits(one, i);
                int otherEnd = afterDigits(other, j);
                int byNumber = number(one, i, end, other, j, otherEnd);
                if (byNumber != 0) {
                    return byNumber;
                }
                i = end;
                j = otherEnd;
            } else if (a != b) {
                return isDigit(a) || isDigit(b) ? (isDigit(a) ? -1 : 1) : character(a, b);
            } else {
                i++;
                j++;
            }
        }
        return Integer.compare(one.length() - i, other.length() - j);
    }

    /** Returns where two texts begin to differ, or the group of digits in which they do. */
    private static int afterCommon(String one, String other) {
        int common = Math.min(one.length(), other.length());
        int start = 0;
        while (start < common && one.charAt(start) == other.charAt(start)) {
            start++;
        }
        while (start > 0 && isDigit(one.charAt(start - 1))) {
            start--;
        }
        return start;
    }

    /** Compares as the UTF-8 bytes do: surrogates are part of what comes last. */
    private static int character(char a, char b) {
        int bySurrogate = Boolean.compare(Character.isSurrogate(a), Character.isSurrogate(b));
        return bySurrogate != 0 ? bySurrogate : Character.compare(a, b);
    }

    private static int number(String one, int i, int end, String other, int j, int otherEnd) {
        int first = afterZeros(one, i, end);
        int otherFirst = afterZeros(other, j, otherEnd);
        int byLength = Integer.compare(end - first, otherEnd - otherFirst);
        if (byLength != 0) {
            return byLength;
        }
        for (int k = 0; k < end - first; k++) {
            int byDigit = Character.compare(one.charAt(first + k), other.charAt(otherFirst + k));
            if (byDigit != 0) {
                return byDigit;
            }
        }
        return Integer.compare(first - i, otherFirst - j);
    }

    private static int afterDigits(String text, int from) {
        int position = from;
        while (position < text.length() && isDigit(text.charAt(position))) {
            position++;
        }
        return position;
    }

    private static int afterZeros(String text, int from, int end) {
        int position = from;
        while (position < end && text.charAt(position) == '0') {
            position++;
        }
        return position;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
