package io.kubemirror.feature.table;

import module java.base;

import io.kubemirror.api.http.GoJson;
import io.kubemirror.feature.table.CellText.HumanDuration;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.util.RawValue;

/**
 * Turns values of custom resources into cells as the API server does, which is written in Go
 * (list-watch.md#ne-21). Nothing recurses, because objects may be nested deeply.
 */
final class GoValue {

    /** A time of RFC 3339 as Go reads it, which is strict about letters but not about digits. */
    private static final Pattern TIME =
            Pattern.compile(
                    "(\\d{4})-(\\d\\d)-(\\d\\d)T(\\d{1,2}):(\\d\\d):(\\d\\d)(?:[.,](\\d+))?"
                            + "(?:Z|([+-])(\\d\\d):(\\d\\d))");

    private static final Instant ZERO = Instant.parse("0001-01-01T00:00:00Z");
    private static final BigInteger MIN_LONG = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);
    private static final double TWO_TO_63 = 0x1p63;

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
            case "string" -> print(value);
            case "integer" -> value.isNumber() ? integer(value) : null;
            case "number" -> value.isNumber() ? new RawValue(inJson(value.doubleValue())) : null;
            case "boolean" -> value.isBoolean() ? value.booleanValue() : null;
            case "date" -> value.isString() ? age(value.stringValue(), now) : null;
            default -> null;
        };
    }

    /** Returns what {@code fmt.Fprint} prints, for maps and slices their JSON. */
    private static String print(JsonNode value) {
        if (value.isNull()) {
            return "<no value>";
        }
        if (value.isNumber()) {
            return isLong(value)
                    ? Long.toString(value.longValue())
                    : shortest(value.doubleValue(), -4, 6, "%s%02d");
        }
        return value.isString() ? value.stringValue() : json(value);
    }

    /** Returns an integer; one that does not fit is the least, as on most processors. */
    private static long integer(JsonNode number) {
        if (isLong(number)) {
            return number.longValue();
        }
        double value = number.doubleValue();
        return value >= -TWO_TO_63 && value < TWO_TO_63 ? (long) value : Long.MIN_VALUE;
    }

    private static boolean isLong(JsonNode number) {
        return number.isIntegralNumber()
                && number.bigIntegerValue().compareTo(MIN_LONG) >= 0
                && number.bigIntegerValue().compareTo(MAX_LONG) <= 0;
    }

    /** Returns the age of a time, as in the columns of the API server. */
    private static String age(String text, Instant now) {
        if (text.isEmpty() || text.equals("null")) {
            return CellText.UNKNOWN;
        }
        return time(text)
                .map(
                        time ->
                                time.equals(ZERO)
                                        ? CellText.UNKNOWN
                                        : HumanDuration.between(time, now))
                .orElse(CellText.INVALID);
    }

    private static Optional<Instant> time(String text) {
        Matcher parts = TIME.matcher(text);
        if (!parts.matches()) {
            return Optional.empty();
        }
        int[] number = new int[11];
        for (int group : new int[] {1, 2, 3, 4, 5, 6, 9, 10}) {
            number[group] = parts.group(group) == null ? 0 : Integer.parseInt(parts.group(group));
        }
        if (number[9] > 24 || number[10] > 60) {
            return Optional.empty();
        }
        int offset = (number[9] * 60 + number[10]) * ("-".equals(parts.group(8)) ? -60 : 60);
        String fraction = parts.group(7) == null ? "" : parts.group(7);
        int nanos = Integer.parseInt((fraction + "000000000").substring(0, 9));
        try {
            return Optional.of(
                    LocalDateTime.of(
                                    number[1], number[2], number[3], number[4], number[5],
                                    number[6], nanos)
                            .toInstant(ZoneOffset.UTC)
                            .minusSeconds(offset));
        } catch (DateTimeException outOfRange) {
            return Optional.empty();
        }
    }

    /** Returns a number as in JSON of Go. */
    private static String inJson(double value) {
        return shortest(value, -6, 21, "%s%d");
    }

    /**
     * Returns the shortest digits of a number.
     *
     * @param least the least exponent of ten without exponential notation
     * @param end the exponent after the largest one without it
     * @param exponents the format of the sign and the digits of an exponent
     */
    private static String shortest(double value, int least, int end, String exponents) {
        if (value == 0) {
            return "0";
        }
        BigDecimal digits = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        int exponent = digits.precision() - digits.scale() - 1;
        if (exponent >= least && exponent < end) {
            return digits.toPlainString();
        }
        BigDecimal mantissa = digits.scaleByPowerOfTen(-exponent);
        return mantissa.toPlainString()
                + "e"
                + exponents.formatted(exponent < 0 ? "-" : "+", Math.abs(exponent));
    }

    /** Returns the JSON of Go: members in the order of their bytes, and Go's escapes. */
    private static String json(JsonNode value) {
        StringBuilder out = new StringBuilder();
        Deque<Object> rest = new ArrayDeque<>();
        rest.push(value);
        while (!rest.isEmpty()) {
            switch (rest.pop()) {
                case String text -> out.append(text);
                case JsonNode node when node.isObject() -> pushMembers(node, rest);
                case JsonNode node when node.isArray() -> pushElements(node, rest);
                case JsonNode node -> out.append(scalar(node));
                default -> throw new AssertionError();
            }
        }
        return out.toString();
    }

    private static void pushMembers(JsonNode object, Deque<Object> rest) {
        List<Object> parts = new ArrayList<>();
        object.propertyStream()
                .sorted(Map.Entry.comparingByKey(GoValue::compareBytes))
                .forEach(
                        member -> {
                            String name = GoJson.quote(member.getKey());
                            parts.add((parts.isEmpty() ? "{" : ",") + name + ":");
                            parts.add(member.getValue());
                        });
        parts.add(parts.isEmpty() ? "{}" : "}");
        parts.reversed().forEach(rest::push);
    }

    private static void pushElements(JsonNode array, Deque<Object> rest) {
        rest.push(array.isEmpty() ? "[]" : "]");
        for (int i = array.size() - 1; i >= 0; i--) {
            rest.push(array.get(i));
            rest.push(i == 0 ? "[" : ",");
        }
    }

    private static int compareBytes(String one, String other) {
        return Arrays.compareUnsigned(
                one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    private static String scalar(JsonNode value) {
        if (value.isString()) {
            return GoJson.quote(value.stringValue());
        }
        return value.isNumber() && !isLong(value)
                ? inJson(value.doubleValue())
                : value.asString("null");
    }
}
