package io.kubemirror.api.encode;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An HTTP entity tag, which identifies the exact bytes of a response, so that a client can state
 * that it already has them.
 *
 * <p>The compressed form of a response has its own tag.
 *
 * @param text the tag without quotes
 * @param sent whether clients learn the tag; others only tell equal responses of a moment
 */
public record EntityTag(String text, boolean sent) {

    private static final Pattern TAGS = Pattern.compile("(?:W/)?(\"[^\"]*\")|\\*");
    private static final String ANYTHING = "*";

    /** Returns a tag derived from bytes and texts. Equal inputs yield equal tags. */
    static EntityTag of(byte[] bytes, String... texts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (String text : texts) {
                byte[] part = text.getBytes(StandardCharsets.UTF_8);
                digest.update((part.length + ":").getBytes(StandardCharsets.US_ASCII));
                digest.update(part);
            }
            byte[] hash = digest.digest(bytes);
            return new EntityTag(
                    Base64.getUrlEncoder().withoutPadding().encodeToString(hash), true);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Returns the same tag as one that clients do not learn. */
    EntityTag unsent() {
        return new EntityTag(text, false);
    }

    /** Returns the header value for the uncompressed response. */
    String plain() {
        return "\"" + text + "\"";
    }

    /** Returns the header value for the compressed response. */
    String compressed() {
        return "\"" + text + "-gzip\"";
    }

    /**
     * Returns the header value of the form that the client already has, empty if it has none.
     *
     * @param conditions the values of {@code If-None-Match}
     * @param compressible whether the client may also use the compressed form
     * @return the header value of that form
     */
    Optional<String> known(List<String> conditions, boolean compressible) {
        if (!sent) {
            return Optional.empty();
        }
        Set<String> known =
                conditions.stream()
                        .flatMap(condition -> TAGS.matcher(condition).results())
                        .map(EntityTag::tag)
                        .collect(Collectors.toSet());
        return Stream.of(compressible ? compressed() : plain(), plain())
                .filter(known::contains)
                .findFirst()
                .or(() -> known.contains(ANYTHING) ? Optional.of(plain()) : Optional.empty());
    }

    private static String tag(MatchResult result) {
        String quoted = result.group(1);
        return quoted == null ? ANYTHING : quoted;
    }
}
