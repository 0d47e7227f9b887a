package io.kubemirror.access;

import io.kubemirror.model.Identity;
import io.kubemirror.upstream.ReviewApi.BearerToken;

import java.util.List;
import java.util.stream.Stream;

/** Authenticates clients by bearer tokens that the API server validates. */
final class TokenReviews implements Authenticator {

    /** The overhead of a string, counted in characters. */
    private static final int TEXT = 40;

    private final Reviewer reviewer;
    private final List<String> audiences;
    private final TokenHasher tokenHasher;
    private final ReviewCache<Authentication> cache;

    /**
     * Creates an authenticator.
     *
     * @param audiences the accepted audiences of tokens, empty for those of the API server
     * @param cache caches results under digests of the tokens
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

    /** Returns how a result is cached. */
    static ReviewCache.ReviewResultKind kind(Authentication answer) {
        return switch (answer) {
            case Authentication.Known _ -> ReviewCache.ReviewResultKind.YES;
            case Authentication.Unknown _ -> ReviewCache.ReviewResultKind.NO;
            case Authentication.Unavailable _ -> ReviewCache.ReviewResultKind.NONE;
        };
    }

    /**
     * Returns the number of characters that a result holds, including the overhead of its
     * collections.
     */
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
