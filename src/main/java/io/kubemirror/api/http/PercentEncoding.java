package io.kubemirror.api.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Decodes the escapes of URIs as Go's {@code net/url} does.
 *
 * <p>Rejected: {@code URLDecoder}, because it throws on a malformed escape and decodes {@code +} as
 * a space in paths too.
 */
public final class PercentEncoding {

    private PercentEncoding() {}

    /**
     * Decodes a part of a query, where {@code +} is a space; empty if an escape is malformed
     * (list-watch.md#pa-17a).
     */
    static Optional<String> decodeQuery(String text) {
        return decode(text, true);
    }

    /** Decodes a path; empty if an escape is malformed (list-watch.md#pa-19c). */
    public static Optional<String> decodePath(String text) {
        return decode(text, false);
    }

    private static Optional<String> decode(String text, boolean plusIsBlank) {
        if (text.indexOf('%') < 0 && !(plusIsBlank && text.indexOf('+') >= 0)) {
            return Optional.of(text);
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream decoded = new ByteArrayOutputStream(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '%') {
                int value = hex(bytes, i + 1) * 16 + hex(bytes, i + 2);
                if (value < 0) {
                    return Optional.empty();
                }
                decoded.write(value);
                i += 2;
            } else {
                decoded.write(bytes[i] == '+' && plusIsBlank ? ' ' : bytes[i]);
            }
        }
        return Optional.of(decoded.toString(StandardCharsets.UTF_8));
    }

    /**
     * Returns the value of a hexadecimal digit. For any other byte the value is so low that a sum
     * with it is negative.
     */
    private static int hex(byte[] bytes, int index) {
        int digit = index < bytes.length ? Character.digit(bytes[index], 16) : -1;
        return digit < 0 ? -1_000 : digit;
    }
}
