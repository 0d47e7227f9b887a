package io.kubemirror.api.http;

import module java.base;

import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/**
 * The query of a request, parsed as the API server parses it (list-watch.md#tr-6). Empty pairs are
 * skipped (list-watch.md#pa-16). The first value of a repeated parameter wins
 * (list-watch.md#pa-16). A pair with a raw semicolon or a malformed escape is dropped
 * (list-watch.md#pa-16).
 *
 * <p>Rejected: the parameters of the servlet API, because they include form bodies and because one
 * malformed pair fails the whole request.
 */
public final class Query {

    /** The default and the maximum of the parameter {@code timeout}. */
    public static final Duration MAX_TIMEOUT = Duration.ofSeconds(60);

    private final Map<String, String> parameters = new HashMap<>();

    /** The query as it was sent, which the request holds anyway; empty for none. */
    private String raw = "";

    private Query() {}

    /**
     * Parses a query.
     *
     * @param raw the query as it was sent, null for none
     */
    public static Query parse(@Nullable String raw) {
        Query query = new Query();
        if (raw != null) {
            query.raw = raw;
            for (String pair : raw.split("&", -1)) {
                query.add(pair);
            }
        }
        return query;
    }

    /** Returns the value of a parameter, empty if absent. */
    public Optional<String> get(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    /** Returns the value of a parameter, {@code ""} if absent. */
    public String text(String name) {
        return parameters.getOrDefault(name, "");
    }

    /**
     * Returns a boolean parameter, empty if absent. {@code 0} and {@code false} are false; every
     * other value, even an empty one, is true (list-watch.md#de-1).
     */
    public Optional<Boolean> flag(String name) {
        return get(name)
                .map(text -> !text.equals("0") && !text.toLowerCase(Locale.ROOT).equals("false"));
    }

    /** Whether a boolean parameter is present and true. */
    public boolean isOn(String name) {
        return flag(name).orElse(false);
    }

    /** Returns all values of a parameter in their order. They are decoded again each time. */
    public List<String> values(String name) {
        return Stream.of(raw.split("&", -1))
                .flatMap(pair -> parse(pair).get(name).stream())
                .toList();
    }

    /** Returns all parameters, decoded. */
    public Map<String, String> all() {
        return Map.copyOf(parameters);
    }

    /**
     * Returns the {@code timeout}: the maximum duration of a request that is not a watch
     * (list-watch.md#de-7).
     *
     * @throws Rejection if the parameter is not a duration
     */
    public Duration timeout() throws Rejection {
        String text = text("timeout");
        if (text.isEmpty()) {
            return MAX_TIMEOUT;
        }
        try {
            Duration timeout = GoDuration.parse(text);
            return timeout.isPositive() && timeout.compareTo(MAX_TIMEOUT) < 0
                    ? timeout
                    : MAX_TIMEOUT;
        } catch (IllegalArgumentException malformed) {
            throw Rejection.badRequest(
                    "invalid timeout specified in the request URL - " + malformed.getMessage());
        }
    }

    private void add(String pair) {
        if (pair.isEmpty() || pair.indexOf(';') >= 0) {
            return;
        }
        int equals = pair.indexOf('=');
        Optional<String> name = decodePart(equals < 0 ? pair : pair.substring(0, equals));
        Optional<String> value = decodePart(equals < 0 ? "" : pair.substring(equals + 1));
        if (name.isPresent() && value.isPresent()) {
            parameters.putIfAbsent(name.get(), value.get());
        }
    }

    /** Decodes a part of a query, where {@code +} is a space. */
    private static Optional<String> decodePart(String text) {
        return decoded(text.replace('+', ' '));
    }

    /**
     * Decodes the escapes of a path or of a part of a query as Go's {@code net/url} does; empty if
     * one is malformed (list-watch.md#pa-16, #pa-19c).
     *
     * <p>Rejected: {@code URLDecoder}, because it throws on a malformed escape and decodes {@code
     * +} as a space in paths too.
     */
    public static Optional<String> decoded(String text) {
        try {
            return Optional.of(StringUtils.uriDecode(text, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException malformed) {
            return Optional.empty();
        }
    }

    /** Parses durations as Go's {@code time.ParseDuration} does, for example {@code 1m30s}. */
    static final class GoDuration {

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

        /**
         * Quotes the text as Go's package {@code time} does: every byte beyond ASCII is escaped.
         */
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
}
