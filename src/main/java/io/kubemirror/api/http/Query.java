package io.kubemirror.api.http;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The query of a request, read as the API server reads it (list-watch.md#tr-6): empty pairs are
 * skipped (list-watch.md#pa-16), of a repeated parameter the first value wins
 * (list-watch.md#pa-17), a pair with a raw semicolon or a malformed escape is dropped
 * (list-watch.md#pa-17a).
 *
 * <p>Rejected: the servlet's parameters, which merge in form bodies and fail the whole request
 * where one pair is malformed.
 */
public final class Query {

    private final Map<String, String> parameters = new HashMap<>();

    private Query() {}

    /**
     * Reads a query.
     *
     * @param raw the query as it was sent, null for none
     */
    public static Query parse(@Nullable String raw) {
        Query query = new Query();
        if (raw != null) {
            for (String pair : raw.split("&", -1)) {
                query.add(pair);
            }
        }
        return query;
    }

    /** The value of a parameter, empty if it is absent. */
    public Optional<String> get(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    /** The value of a parameter, {@code ""} if it is absent. */
    public String text(String name) {
        return parameters.getOrDefault(name, "");
    }

    /**
     * A switch, empty if it is absent: {@code 0} and {@code false} are off, everything else, even
     * an empty value, is on (list-watch.md#de-1).
     */
    Optional<Boolean> flag(String name) {
        return get(name)
                .map(text -> !text.equals("0") && !text.toLowerCase(Locale.ROOT).equals("false"));
    }

    /** Whether a switch is there and on. */
    public boolean isOn(String name) {
        return flag(name).orElse(false);
    }

    /** All parameters, decoded. */
    public Map<String, String> all() {
        return Map.copyOf(parameters);
    }

    private void add(String pair) {
        if (pair.isEmpty() || pair.indexOf(';') >= 0) {
            return;
        }
        int equals = pair.indexOf('=');
        Optional<String> name =
                PercentEncoding.decodeQuery(equals < 0 ? pair : pair.substring(0, equals));
        Optional<String> value =
                PercentEncoding.decodeQuery(equals < 0 ? "" : pair.substring(equals + 1));
        if (name.isPresent() && value.isPresent()) {
            parameters.putIfAbsent(name.get(), value.get());
        }
    }
}
