package io.kubemirror.access;

import io.kubemirror.kube.Token;

import java.util.List;

/** Knows people by the bearer tokens that the API server knows. */
final class TokenReviews implements Authenticator {

    private final Reviewer reviewer;
    private final List<String> audiences;
    private final Digests digests;
    private final Answers<String, Authentication> answers;

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
            Answers<String, Authentication> answers) {
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

    @Override
    public Authentication identify(Credentials credentials) throws InterruptedException {
        String token = credentials.token();
        return token == null
                ? Authentication.UNKNOWN
                : answers.get(
                        digests.text(token), () -> reviewer.identify(new Token(token, audiences)));
    }
}
