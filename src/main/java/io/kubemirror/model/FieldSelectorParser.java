package io.kubemirror.model;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Parses a field selector into terms in byte order, as the API server does (list-watch.md#fs-1 to
 * #fs-5).
 */
final class FieldSelectorParser {

    private final String text;

    private FieldSelectorParser(String text) {
        this.text = text;
    }

    /** Returns the distinct terms of the selector in the byte order of their texts. */
    static Set<FieldSelector.FieldTerm> parse(String text) throws SelectorException {
        return new FieldSelectorParser(text).terms();
    }

    private Set<FieldSelector.FieldTerm> terms() throws SelectorException {
        List<String> parts = split();
        parts.sort(Utf8Order::compare);
        Set<FieldSelector.FieldTerm> terms = new LinkedHashSet<>();
        for (String part : parts) {
            if (!part.isEmpty()) {
                terms.add(term(part));
            }
        }
        // The API server treats a bare operator as a term that every object matches.
        terms.removeIf(term -> term.field().isEmpty() && term.value().isEmpty());
        return terms;
    }

    /** Splits at the commas that no backslash precedes. */
    private List<String> split() {
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

    private FieldSelector.FieldTerm term(String part) throws SelectorException {
        for (int i = 0; i < part.length(); i++) {
            int length = operatorLength(part, i);
            if (length > 0) {
                String value = unescape(part.substring(i + length));
                return new FieldSelector.FieldTerm(
                        part.substring(0, i), part.charAt(i) == '!', value);
            }
        }
        throw new SelectorException(
                "invalid selector: '" + text + "'; can't understand '" + part + "'");
    }

    private static int operatorLength(String part, int start) {
        if (part.startsWith("!=", start) || part.startsWith("==", start)) {
            return 2;
        }
        return part.charAt(start) == '=' ? 1 : 0;
    }

    private static String unescape(String value) throws SelectorException {
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
                throw new SelectorException(
                        "invalid field selector: unescaped character in value: " + codePoint);
            }
        }
        if (escaped) {
            throw invalidEscape("");
        }
        return unescaped.toString();
    }

    private static SelectorException invalidEscape(String character) {
        return new SelectorException(
                "invalid field selector: invalid escape sequence: \\" + character);
    }
}
