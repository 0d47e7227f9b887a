package io.kubemirror.feature.table;

import module java.base;

import io.kubemirror.feature.table.CellText.HumanDuration;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.util.RawValue;

/**
 * Turns values of custom resources into cells as the API server does, which is written in Go
 * (list-watch.md#ne-21). Nothing recurses, because objects may be nested deeply.
 */
final class GoValue {

    private GoValue() {}

    /**
     * Returns the cell for a value: text, a number, a truth value, or null if the value does not
     * have the type of the column.
     *
     * @param type the type of the column
     * @param now the time from which ages are computed
     */
    static @Nullable Object cell(String type, JsonNode value, Instant now) {
        return switch (type) {
            case "string" -> text(value);
            case "integer" -> value.isNumber() ? integer(value) : null;
            case "number" -> value.isNumber() ? new RawValue(number(value)) : null;
            case "boolean" -> value.isBoolean() ? value.booleanValue() : null;
            case "date" -> value.isString() ? age(value.stringValue(), now) : null;
            default -> null;
        };
    }

    /** Returns what {@code fmt.Fprint} prints, for maps and slices their JSON. */
    private static String text(JsonNode value) {
        if (value.isNull()) {
            return "<no value>";
        }
        if (value.isNumber() && !value.isIntegralNumber()) {
            return number(value);
        }
        return value.isContainer() ? json(value) : value.asString("");
    }

    private static long integer(JsonNode number) {
        return number.isIntegralNumber() && number.canConvertToLong()
                ? number.longValue()
                : (long) number.doubleValue();
    }

    /** Returns the shortest digits of a number. */
    private static String number(JsonNode value) {
        return new BigDecimal(Double.toString(value.doubleValue()))
                .stripTrailingZeros()
                .toPlainString();
    }

    /** Returns the age of a time of RFC 3339, for which Java accepts lower case and Go does not. */
    private static String age(String text, Instant now) {
        if (text.isEmpty()) {
            return CellText.UNKNOWN;
        }
        try {
            return text.equals(text.toUpperCase(Locale.ROOT))
                    ? HumanDuration.between(OffsetDateTime.parse(text).toInstant(), now)
                    : CellText.INVALID;
        } catch (DateTimeException invalid) {
            return CellText.INVALID;
        }
    }

    /** Returns JSON with Go's escapes. The API server has sorted the members. */
    private static String json(JsonNode value) {
        return value.toString()
                .replace("<", "\\u003c")
                .replace(">", "\\u003e")
                .replace("&", "\\u0026")
                .replace("\u2028", "\\u2028")
                .replace("\u2029", "\\u2029");
    }
}
