package io.kubemirror.parity;

import module java.base;

/**
 * The part of a response that clients depend on.
 *
 * @param code the HTTP status code
 * @param headers the header fields that matter, names in lower case
 * @param body the body, uncompressed, to the end of the stream
 * @param whole whether the body ended as HTTP says it must, rather than by a cut
 */
record ObservedResponse(int code, Map<String, String> headers, String body, boolean whole) {

    ObservedResponse {
        headers = Map.copyOf(headers);
    }

    /** The same with another code. */
    ObservedResponse withCode(int changed) {
        return new ObservedResponse(changed, headers, body, whole);
    }

    /** Returns a copy with a header field added or replaced; an empty value removes it. */
    ObservedResponse withHeader(String name, String value) {
        Map<String, String> changed = new TreeMap<>(headers);
        changed.put(name, value);
        changed.values().removeIf(String::isEmpty);
        return new ObservedResponse(code, changed, body, whole);
    }

    /** The same with another body. */
    ObservedResponse withBody(String changed) {
        return new ObservedResponse(code, headers, changed, whole);
    }

    /** The same with the body changed. */
    ObservedResponse withBody(UnaryOperator<String> change) {
        return withBody(change.apply(body));
    }

    /** The answer in lines, for comparisons that people read. */
    String text() {
        String fields =
                new TreeMap<>(headers)
                        .entrySet().stream()
                                .map(field -> field.getKey() + ": " + field.getValue() + "\n")
                                .collect(Collectors.joining());
        return code + "\n" + fields + "\n" + body + (whole ? "<end>" : "<cut>");
    }
}
