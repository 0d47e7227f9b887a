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
 * A name for the exact bytes of an answer, by which a client says that it has them already.
 *
 * <p>The compressed form of an answer has a name of its own.
 *
 * @param text the name, without quotes
 */
public record EntityTag(String text) {

    private static final Pattern TAGS = Pattern.compile("(?:W/)?(\"[^\"]*\")|\\*");
    private static final String ANYTHING = "*";

    /** The name of what is determined by some bytes and texts; equal ones have the same name. */
    static EntityTag of(byte[] bytes, String... texts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (String text : texts) {
                byte[] part = text.getBytes(StandardCharsets.UTF_8);
                digest.update((part.length + ":").getBytes(StandardCharsets.US_ASCII));
                digest.update(part);
            }
            byte[] hash = digest.digest(bytes);
            return new EntityTag(Base64.getUrlEncoder().withoutPadding().encodeToString(hash));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The header's value for the answer as it is. */
    String plain() {
        return "\"" + text + "\"";
    }

    /** The header's value for the compressed answer. */
    String compressed() {
        return "\"" + text + "-gzip\"";
    }

    /**
     * The form of the answer that a client has already, empty if it has none.
     *
     * @param conditions the values of {@code If-None-Match}
     * @param compressible whether the compressed form would do too
     * @return the header's value for that form
     */
    Optional<String> known(List<String> conditions, boolean compressible) {
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
