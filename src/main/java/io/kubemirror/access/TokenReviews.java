package io.kubemirror.access;

import io.kubemirror.model.Identity;
import io.kubemirror.upstream.BearerToken;

import java.util.List;
import java.util.stream.Stream;

/** Knows people by the bearer tokens that the API server knows. */
final class TokenReviews implements Authenticator {

    /** What a text takes beside its characters, counted in them. */
    private static final int TEXT = 40;

    private final Reviewer reviewer;
    private final List<String> audiences;
    private final TokenHasher tokenHasher;
    private final ReviewCache<Authentication> cache;

    /**
     * Tokens for an audience.
     *
     * @param audiences whom they must be meant for, empty for the API server
     * @param cache remembers, with digests in place of tokens
     */
    TokenReviews(
            Reviewer reviewer,
            List<String> audiences,
            TokenHasher tokenHasher,
            ReviewCache<Authentication> cache) {
        this.reviewer = reviewer;
        this.audiences = List.copyOf(audiences);
        this.tokenHasher = tokenHasher;
        this.cache = cache;
    }

    /** How its answers are remembered. */
    static ReviewCache.ReviewResultKind kind(Authentication answer) {
        return switch (answer) {
            case Authentication.Known _ -> ReviewCache.ReviewResultKind.YES;
            case Authentication.Unknown _ -> ReviewCache.ReviewResultKind.NO;
            case Authentication.Unavailable _ -> ReviewCache.ReviewResultKind.NONE;
        };
    }

    /** How many characters an answer holds, with what its collections take. */
    static int texts(Authentication answer) {
        return switch (answer) {
            case Authentication.Known(Identity identity) -> texts(identity);
            case Authentication.Unknown _ -> 0;
            case Authentication.Unavailable(String why) -> why.length();
        };
    }

    private static int texts(Identity identity) {
        Stream<String> extra =
                identity.extra().entrySet().stream()
                        .flatMap(
                                entry ->
                                        Stream.concat(
                                                Stream.of(entry.getKey()),
                                                entry.getValue().stream()));
        return Stream.of(
                        Stream.of(identity.name(), identity.uid()),
                        identity.groups().stream(),
                        extra)
                .flatMap(texts -> texts)
                .mapToInt(text -> text.length() + TEXT)
                .sum();
    }

    @Override
    public Authentication authenticate(Credentials credentials) throws InterruptedException {
        String token = credentials.token();
        return token == null
                ? Authentication.UNKNOWN
                : cache.get(
                        tokenHasher.text(token),
                        () -> reviewer.identify(new BearerToken(token, audiences)));
    }
}
