package io.kubemirror.access;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Specifies how clients are authenticated and authorized.
 *
 * @param methods the accepted authentication methods, at least one
 * @param mode the authorization mode
 * @param audiences the accepted audiences of tokens, empty for those of the API server
 * @param tokenFile the token file, null for none
 * @param cacheTimes the timeouts and cache lifetimes of review results
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

    /** The supported authentication methods. */
    public enum AuthenticationMethod {
        /** A bearer token that the API server validates. */
        TOKEN_REVIEW,
        /** A bearer token listed in a file. */
        TOKEN_FILE,
        /** A client certificate that the TLS configuration of the server trusts. */
        CLIENT_CERTIFICATE
    }

    /** Specifies how the requests of authenticated clients are authorized. */
    public enum AuthorizationMode {
        /** The API server decides, as it would for a request sent to it directly. */
        ACCESS_REVIEW,
        /** Every authenticated client may read everything. */
        READ_ALL
    }

    /**
     * The timeouts and cache lifetimes of review results.
     *
     * @param limit the timeout of a review request
     * @param allowed the lifetime of positive results: permissions and identities
     * @param denied the lifetime of negative results
     * @param grace the additional lifetime of positive results while the API server does not answer
     * @param recheck the interval at which the permissions of open watches are checked again
     * @param remembered the maximum number of cached results of each kind
     */
    public record CacheTimes(
            Duration limit,
            Duration allowed,
            Duration denied,
            Duration grace,
            Duration recheck,
            int remembered) {}
}
