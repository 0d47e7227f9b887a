package io.kubemirror.api.http;

import org.springframework.util.StringUtils;

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
        return decodePath(text.replace('+', ' '));
    }

    /** Decodes a path; empty if an escape is malformed (list-watch.md#pa-19c). */
    public static Optional<String> decodePath(String text) {
        try {
            return Optional.of(StringUtils.uriDecode(text, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException malformed) {
            return Optional.empty();
        }
    }
}
