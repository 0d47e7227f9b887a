package io.kubemirror.api.encode;

import module java.base;

import io.kubemirror.api.http.GoJson;
import io.kubemirror.model.KubeObject;
import io.kubernetes.client.custom.Quantity;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonPointer;
import tools.jackson.core.JsonToken;
import tools.jackson.core.filter.FilteringParserDelegate;
import tools.jackson.core.filter.JsonPointerBasedFilter;
import tools.jackson.core.filter.TokenFilter.Inclusion;

/**
 * The place of a value in objects, by which lists are sorted or counted: names of members and
 * numbers of elements (list-watch.md#or-2).
 *
 * @param text the expression without what it may begin with
 * @param pointer names of members and numbers of elements
 */
record ValuePath(String text, JsonPointer pointer) {

    /** The maximum length of an expression, in characters. */
    private static final int MAX_LENGTH = 512;

    /** A member, in which a backslash escapes a character, a quoted member, or an element. */
    private static final Pattern STEP =
            Pattern.compile(
                    "\\.((?:\\\\.|[^.\\[\\]{}\\s,*\\\\])+)|\\['([^']+)'\\]|\\[(\\d{1,9})\\]");

    private static final Pattern STEPS = Pattern.compile("(?:" + STEP + ")+");

    /**
     * Parses an expression: {@code status.phase}, {@code .status.phase}, or {@code
     * {.status.phase}}, as kubectl does for {@code --sort-by}.
     *
     * @throws IllegalArgumentException if the text is not a path
     */
    static ValuePath parse(String text) {
        boolean braces = text.startsWith("{") && text.endsWith("}");
        String inner = braces ? text.substring(1, text.length() - 1) : text;
        String rest = inner.startsWith("$") ? inner.substring(1) : inner;
        String path = rest.startsWith(".") || rest.startsWith("[") ? rest : "." + rest;
        if (path.length() > MAX_LENGTH || !STEPS.matcher(path).matches()) {
            throw new IllegalArgumentException(
                    "a path has 1 to "
                            + MAX_LENGTH
                            + " characters, and names members and elements, such as"
                            + " spec.containers[0].name or metadata.labels['app']");
        }
        JsonPointer pointer = JsonPointer.empty();
        for (MatchResult step : STEP.matcher(path).results().toList()) {
            pointer = append(pointer, step);
        }
        return new ValuePath(path, pointer);
    }

    private static JsonPointer append(JsonPointer pointer, MatchResult step) {
        if (step.group(3) != null) {
            return pointer.appendIndex(Integer.parseInt(step.group(3)));
        }
        String name = step.group(1) == null ? step.group(2) : step.group(1);
        return pointer.appendProperty(name.replaceAll("\\\\(.)", "$1"));
    }

    /** Returns whether objects of which only the metadata is mirrored have the value. */
    boolean isInMetadata() {
        return pointer.matchesProperty("metadata");
    }

    /**
     * Returns the text of the value, null if there is none: a string as it is, a number or a truth
     * value as its JSON. Objects and arrays are no values. Reads the stored bytes only as far as it
     * has to.
     */
    @Nullable String of(KubeObject object) {
        try (JsonParser parser =
                new FilteringParserDelegate(
                        GoJson.parser(object.json(), 0, object.json().length),
                        new JsonPointerBasedFilter(pointer),
                        Inclusion.ONLY_INCLUDE_ALL,
                        /* allowMultipleMatches= */ false)) {
            JsonToken token = parser.nextToken();
            return token != null && token.isScalarValue() && token != JsonToken.VALUE_NULL
                    ? parser.getString()
                    : null;
        }
    }

    @Override
    public String toString() {
        return text;
    }

    /**
     * The order of values: numbers and quantities, then times, then other texts
     * (list-watch.md#or-3).
     */
    static final class SortValue {

        private static final Pattern QUANTITY =
                Pattern.compile(
                        "[+-]?(\\d{1,40}(\\.\\d{0,40})?|\\.\\d{1,40})"
                                + "([eE][+-]?\\d{1,3}|[numkMGTPE]|[KMGTPE]i)?");

        private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[^T]{9,}");

        private SortValue() {}

        /**
         * Returns what {@link #compare} orders: a number, an instant, or the text itself; null for
         * a text that is missing or empty.
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
                case BigDecimal number when other instanceof BigDecimal than ->
                        number.compareTo(than);
                case Instant time when other instanceof Instant than -> time.compareTo(than);
                case String text when other instanceof String than -> text.compareTo(than);
                default -> Integer.compare(rank(one), rank(other));
            };
        }

        private static int rank(Object value) {
            return value instanceof BigDecimal ? 0 : value instanceof Instant ? 1 : 2;
        }
    }
}
