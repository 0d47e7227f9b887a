package io.kubemirror.access;

import io.kubemirror.kube.Token;
import io.kubemirror.model.Identity;

import java.util.List;
import java.util.stream.Stream;

/** Knows people by the bearer tokens that the API server knows. */
final class TokenReviews implements Authenticator {

    /** What a text takes beside its characters, counted in them. */
    private static final int TEXT = 40;

    private final Reviewer reviewer;
    private final List<String> audiences;
    private final Digests digests;
    private final Answers<Authentication> answers;

    /**
     * Tokens for an audience.
     *
     * @param audiences whom they must be meant for, empty for the API server
     * @param answers remembers, with digests in place of tokens
     */
    TokenReviews(
            Reviewer reviewer,
            List<String> audiences,
            Digests digests,
            Answers<Authentication> answers) {
        this.reviewer = reviewer;
        this.audiences = List.copyOf(audiences);
        this.digests = digests;
        this.answers = answers;
    }

    /** How its answers are remembered. */
    static Answers.Kind kind(Authentication answer) {
        return switch (answer) {
            case Authentication.Known _ -> Answers.Kind.YES;
            case Authentication.Unknown _ -> Answers.Kind.NO;
            case Authentication.Unavailable _ -> Answers.Kind.NONE;
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
    public Authentication identify(Credentials credentials) throws InterruptedException {
        String token = credentials.token();
        return token == null
                ? Authentication.UNKNOWN
                : answers.get(
                        digests.text(token), () -> reviewer.identify(new Token(token, audiences)));
    }
}
