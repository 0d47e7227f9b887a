package io.kubemirror.model;

/**
 * Orders strings by their UTF-8 bytes, as etcd orders keys and the API server sorts.
 *
 * <p>It differs from {@link String#compareTo} only beyond the Basic Multilingual Plane: a surrogate
 * represents a code point above every other {@code char}.
 */
final class Utf8Order {

    private Utf8Order() {}

    /** Compares without encoding. */
    static int compare(String one, String other) {
        int common = Math.min(one.length(), other.length());
        for (int i = 0; i < common; i++) {
            char a = one.charAt(i);
            char b = other.charAt(i);
            if (a != b) {
                return compare(a, b);
            }
        }
        return Integer.compare(one.length(), other.length());
    }

    private static int compare(char a, char b) {
        boolean surrogate = Character.isSurrogate(a);
        if (surrogate == Character.isSurrogate(b)) {
            return Character.compare(a, b);
        }
        return surrogate ? 1 : -1;
    }
}
