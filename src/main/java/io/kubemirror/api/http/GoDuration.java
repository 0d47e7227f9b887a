package io.kubemirror.api.http;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses durations as Go's {@code time.ParseDuration} does, for example {@code 1m30s}. */
final class GoDuration {

    private static final Pattern TERM = Pattern.compile("([0-9]*(?:\\.[0-9]*)?)([^.0-9]*)");

    private static final Map<String, Long> NANOS =
            Map.of(
                    "ns", 1L,
                    "us", 1_000L,
                    "\u00b5s", 1_000L,
                    "\u03bcs", 1_000L,
                    "ms", 1_000_000L,
                    "s", 1_000_000_000L,
                    "m", 60_000_000_000L,
                    "h", 3_600_000_000_000L);

    private GoDuration() {}

    /**
     * Parses a duration.
     *
     * @throws IllegalArgumentException with Go's message if the text is not a duration
     */
    static Duration parse(String text) {
        boolean negative = text.startsWith("-");
        String terms = negative || text.startsWith("+") ? text.substring(1) : text;
        if (terms.equals("0")) {
            return Duration.ZERO;
        }
        if (terms.isEmpty()) {
            throw invalid(text);
        }
        BigDecimal nanos = BigDecimal.ZERO;
        Matcher term = TERM.matcher(terms);
        for (int start = 0; start < terms.length(); start = term.end()) {
            term.region(start, terms.length()).lookingAt();
            nanos = nanos.add(nanos(term.group(1), term.group(2), text));
        }
        if (nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            throw invalid(text);
        }
        return Duration.ofNanos(negative ? -nanos.longValue() : nanos.longValue());
    }

    private static BigDecimal nanos(String number, String unit, String text) {
        if (number.isEmpty() || number.equals(".")) {
            throw invalid(text);
        }
        if (unit.isEmpty()) {
            throw new IllegalArgumentException("time: missing unit in duration " + quote(text));
        }
        Long nanos = NANOS.get(unit);
        if (nanos == null) {
            throw new IllegalArgumentException(
                    "time: unknown unit " + quote(unit) + " in duration " + quote(text));
        }
        return new BigDecimal(number).multiply(BigDecimal.valueOf(nanos));
    }

    /** Quotes the text as Go's package {@code time} does: every byte beyond ASCII is escaped. */
    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder().append('"');
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (b < ' ') {
                quoted.append("\\x%02x".formatted(b));
            } else {
                quoted.append(b == '"' || b == '\\' ? "\\" : "").append((char) b);
            }
        }
        return quoted.append('"').toString();
    }

    private static IllegalArgumentException invalid(String text) {
        return new IllegalArgumentException("time: invalid duration " + quote(text));
    }
}
