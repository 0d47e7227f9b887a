package io.kubemirror.upstream;

import io.kubemirror.model.Identity;
import io.kubemirror.model.Intent;

import java.time.Duration;

/**
 * The API server, as far as it knows who others are and what they may do. Asked with this process's
 * own credentials, which need the permissions of {@code system:auth-delegator}.
 *
 * <p>Calls block as those of {@link UpstreamApi} do, but no longer than their limit. All methods
 * may be called from any number of threads.
 */
public interface ReviewApi {

    /** Asks whose a token is. */
    TokenOutcome identify(TokenQuestion question);

    /** Asks whether somebody is permitted to do something. */
    ReviewOutcome review(AccessQuestion question);

    /**
     * Whose is this token?
     *
     * @param token the token
     * @param limit how long the answer may take
     */
    record TokenQuestion(BearerToken token, Duration limit) {}

    /**
     * May they do that?
     *
     * @param identity who
     * @param intent what
     * @param limit how long the answer may take
     */
    record AccessQuestion(Identity identity, Intent intent, Duration limit) {}
}
