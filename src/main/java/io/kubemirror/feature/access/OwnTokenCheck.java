package io.kubemirror.feature.access;

import io.kubemirror.feature.access.AccessControl.AccessDecision;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.source.Result;
import io.kubemirror.source.ReviewApi.AccessReview;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Asks the API server with the client's own token what its owner may do. One request authenticates
 * and authorizes, and kubemirror needs no permission for it.
 */
record OwnTokenCheck(Reviewer reviewer) implements ClientCheck {

    /** The owner of a token who may not ask who they are. */
    private static final Identity UNNAMED = new Identity("", "", List.of(), Map.of());

    @Override
    public AccessDecision check(Credentials credentials, Permission permission)
            throws InterruptedException {
        return switch (reviewer.review(credentials, permission)) {
            case Result.Success(Optional<AccessReview> review) ->
                    review.isPresent()
                            ? decide(credentials, permission, review.get())
                            : new AccessDecision.Unauthenticated();
            case Result.Failed(var failure) -> new AccessDecision.Unavailable(failure.summary());
        };
    }

    private AccessDecision decide(
            Credentials credentials, Permission permission, AccessReview review)
            throws InterruptedException {
        return review.allowed()
                ? new AccessDecision.Admitted()
                : new AccessDecision.Forbidden(owner(credentials), permission, review.reason());
    }

    /** Returns the name that a denial mentions. */
    private Identity owner(Credentials credentials) throws InterruptedException {
        return switch (reviewer.owner(credentials)) {
            case Result.Success(Optional<Identity> owner) -> owner.orElse(UNNAMED);
            case Result.Failed(_) -> UNNAMED;
        };
    }
}
