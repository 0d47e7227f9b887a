package io.kubemirror.api.encode;

import module java.base;

import io.kubernetes.client.custom.Quantity;

import org.jspecify.annotations.Nullable;

/**
 * The order of values: numbers and quantities, then times, then other texts (list-watch.md#or-3).
 */
final class SortValue {

    private static final Pattern QUANTITY =
            Pattern.compile(
                    "[+-]?(\\d{1,40}(\\.\\d{0,40})?|\\.\\d{1,40})"
                            + "([eE][+-]?\\d{1,3}|[numkMGTPE]|[KMGTPE]i)?");

    private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[^T]{9,}");

    private SortValue() {}

    /**
     * Returns what {@link #compare} orders: a number, an instant, or the text itself; null for a
     * text that is missing or empty.
     */
    static @Nullable Object of(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        if (TIME.matcher(text).matches()) {
            try {
                return OffsetDateTime.parse(text).toInstant();
            } catch (DateTimeException other) {
                return text;
            }
        }
        return QUANTITY.matcher(text).matches() ? Quantity.fromString(text).getNumber() : text;
    }

    /** Compares two values. */
    static int compare(Object one, Object other) {
        return switch (one) {
            case BigDecimal number when other instanceof BigDecimal than -> number.compareTo(than);
            case Instant time when other instanceof Instant than -> time.compareTo(than);
            case String text when other instanceof String than -> text.compareTo(than);
            default -> Integer.compare(rank(one), rank(other));
        };
    }

    private static int rank(Object value) {
        return value instanceof BigDecimal ? 0 : value instanceof Instant ? 1 : 2;
    }
}
