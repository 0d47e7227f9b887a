package io.kubemirror.access;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * How people are known, and what they may do.
 *
 * @param methods what they may show, at least one
 * @param mode what decides
 * @param audiences whom tokens must be meant for, empty for the API server
 * @param tokenFile the file of tokens, null for none
 * @param cacheTimes how long answers of the API server are waited for and believed
 */
public record AccessPlan(
        Set<AuthenticationMethod> methods,
        AuthorizationMode mode,
        List<String> audiences,
        @Nullable Path tokenFile,
        CacheTimes cacheTimes) {

    /** Copies the collections. */
    public AccessPlan {
        methods = Set.copyOf(methods);
        audiences = List.copyOf(audiences);
    }

    /** What people may show. */
    public enum AuthenticationMethod {
        /** A bearer token that the API server knows. */
        TOKEN_REVIEW,
        /** A bearer token that stands in a file. */
        TOKEN_FILE,
        /** A certificate that the server's TLS trusts. */
        CLIENT_CERTIFICATE
    }

    /** What decides about a request of somebody who is known. */
    public enum AuthorizationMode {
        /** The API server, as if it had been asked itself. */
        ACCESS_REVIEW,
        /** Being known is enough. */
        READ_ALL
    }

    /**
     * How long answers of the API server are waited for and believed.
     *
     * @param limit how long a question may take
     * @param allowed how long a permission or an identity is believed
     * @param denied how long a refusal is believed
     * @param grace how much longer permissions and identities are believed while the API server
     *     does not answer
     * @param recheck how often the permissions of open watches are looked at again
     * @param remembered how many answers of either sort are remembered at most
     */
    public record CacheTimes(
            Duration limit,
            Duration allowed,
            Duration denied,
            Duration grace,
            Duration recheck,
            int remembered) {}
}
