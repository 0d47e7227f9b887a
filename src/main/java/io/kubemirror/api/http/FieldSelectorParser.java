package io.kubemirror.api.http;

import module java.base;

import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.FieldSelector.FieldTerm;
import io.kubemirror.model.GoString;

/** Parses a field selector as the API server does, with its messages (list-watch.md#fs-1). */
public final class FieldSelectorParser {

    private static final Pattern OPERATOR = Pattern.compile("!=|==|=");

    private FieldSelectorParser() {}

    /**
     * Parses a selector. {@link io.kubemirror.model.SelectableFields} checks later whether its
     * fields exist (list-watch.md#order-of-checks).
     *
     * @param text the selector, decoded
     * @throws Rejection with the API server's message if the text is not a selector
     */
    public static FieldSelector parse(String text) throws Rejection {
        return text.isEmpty()
                ? FieldSelector.everything()
                : new FieldSelector(text, List.copyOf(terms(text)));
    }

    /**
     * Returns the distinct terms of a selector in the byte order of their texts, as the API server
     * does (list-watch.md#fs-1 to #fs-5).
     */
    private static Set<FieldTerm> terms(String text) throws Rejection {
        List<String> parts = split(text);
        parts.sort(GoString::compare);
        Set<FieldTerm> terms = new LinkedHashSet<>();
        for (String part : parts) {
            if (!part.isEmpty()) {
                terms.add(term(text, part));
            }
        }
        // The API server treats a bare operator as a term that every object matches.
        terms.removeIf(term -> term.field().isEmpty() && term.value().isEmpty());
        return terms;
    }

    /** Splits at the commas that no backslash precedes. */
    private static List<String> split(String text) {
        List<String> parts = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == ',') {
                parts.add(text.substring(start, i));
                start = i + 1;
            }
        }
        parts.add(text.substring(start));
        return parts;
    }

    private static FieldTerm term(String text, String part) throws Rejection {
        Matcher operator = OPERATOR.matcher(part);
        if (!operator.find()) {
            throw Rejection.badRequest(
                    "invalid selector: '" + text + "'; can't understand '" + part + "'");
        }
        return new FieldTerm(
                part.substring(0, operator.start()),
                operator.group().equals("!="),
                unescape(part.substring(operator.end())));
    }

    private static String unescape(String value) throws Rejection {
        StringBuilder unescaped = new StringBuilder(value.length());
        boolean escaped = false;
        for (int codePoint : value.codePoints().toArray()) {
            boolean special = codePoint == '\\' || codePoint == ',' || codePoint == '=';
            if (escaped && !special) {
                throw invalidEscape(Character.toString(codePoint));
            }
            if (escaped || !special) {
                unescaped.appendCodePoint(codePoint);
                escaped = false;
            } else if (codePoint == '\\') {
                escaped = true;
            } else {
                throw Rejection.badRequest(
                        "invalid field selector: unescaped character in value: " + codePoint);
            }
        }
        if (escaped) {
            throw invalidEscape("");
        }
        return unescaped.toString();
    }

    private static Rejection invalidEscape(String character) {
        return Rejection.badRequest(
                "invalid field selector: invalid escape sequence: \\" + character);
    }
}
