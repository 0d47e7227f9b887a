package io.kubemirror.api.query;

import module java.base;

import io.kubemirror.api.http.GoJson;
import io.kubemirror.model.KubeObject;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The place of a value in objects, by which lists are sorted or counted: names of members and
 * numbers of elements (list-watch.md#or-2).
 *
 * @param text the expression without what it may begin with
 * @param steps the name of a member, or the number of an element
 */
record ValuePath(String text, List<Object> steps) {

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
        return new ValuePath(path, STEP.matcher(path).results().map(ValuePath::step).toList());
    }

    private static Object step(MatchResult step) {
        if (step.group(3) != null) {
            return Integer.valueOf(step.group(3));
        }
        String name = step.group(1) == null ? step.group(2) : step.group(1);
        return name.replaceAll("\\\\(.)", "$1");
    }

    /** Returns whether objects of which only the metadata is mirrored have the value. */
    boolean isInMetadata() {
        return steps.getFirst().equals("metadata");
    }

    /**
     * Returns the text of the value, null if there is none: a string as it is, a number or a truth
     * value as its JSON. Objects and arrays are no values. Reads the stored bytes only as far as it
     * has to.
     */
    @Nullable String of(KubeObject object) {
        try (JsonParser parser = GoJson.parser(object.json(), 0, object.json().length)) {
            parser.nextToken();
            for (Object step : steps) {
                if (!enter(parser, step)) {
                    return null;
                }
            }
            JsonToken token = parser.currentToken();
            return token.isScalarValue() && token != JsonToken.VALUE_NULL
                    ? parser.getString()
                    : null;
        }
    }

    /** Goes to the value of a step. Returns false if there is none. */
    private static boolean enter(JsonParser parser, Object step) {
        if (step instanceof Integer index) {
            return parser.currentToken() == JsonToken.START_ARRAY && enterElement(parser, index);
        }
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            return false;
        }
        for (String next = parser.nextName(); next != null; next = parser.nextName()) {
            parser.nextToken();
            if (next.equals(step)) {
                return true;
            }
            parser.skipChildren();
        }
        return false;
    }

    private static boolean enterElement(JsonParser parser, int index) {
        for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
            if (i == index) {
                return true;
            }
            parser.skipChildren();
        }
        return false;
    }

    @Override
    public String toString() {
        return text;
    }
}
