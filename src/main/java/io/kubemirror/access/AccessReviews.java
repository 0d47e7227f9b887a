package io.kubemirror.access;

import io.kubemirror.model.Identity;
import io.kubemirror.model.Intent;

/** Permits what the API server would permit if it were asked itself. */
final class AccessReviews implements Authorizer {

    private final Reviewer reviewer;
    private final Answers<Question, Authorization> answers;

    /** Who wants what. */
    record Question(Identity identity, Intent intent) {}

    AccessReviews(Reviewer reviewer, Answers<Question, Authorization> answers) {
        this.reviewer = reviewer;
        this.answers = answers;
    }

    /** How its answers are remembered. */
    static Answers.Kind kind(Authorization answer) {
        return switch (answer) {
            case Authorization.Allowed _ -> Answers.Kind.YES;
            case Authorization.Denied _ -> Answers.Kind.NO;
            case Authorization.Unavailable _ -> Answers.Kind.NONE;
        };
    }

    @Override
    public Authorization decide(Identity identity, Intent intent) throws InterruptedException {
        return answers.get(new Question(identity, intent), () -> reviewer.decide(identity, intent));
    }
}
