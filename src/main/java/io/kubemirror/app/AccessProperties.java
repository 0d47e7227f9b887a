package io.kubemirror.app;

import static io.kubemirror.app.MirrorProperties.refuse;
import static io.kubemirror.app.MirrorProperties.requireAtLeast;

import module java.base;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * Authentication and authorization of clients.
 *
 * @param authentication [KEY] Accepted authentication methods. Empty disables authentication.
 * @param audiences Accepted token audiences; a token must be valid for at least one. Default: the
 *     API server's own.
 * @param recheckInterval Interval at which the permissions of open watches are checked again.
 * @param cache Cache of review results.
 */
public record AccessProperties(
        @DefaultValue List<AuthenticationMethod> authentication,
        @DefaultValue List<String> audiences,
        @DefaultValue("1m") @DurationUnit(ChronoUnit.SECONDS) Duration recheckInterval,
        @DefaultValue Cache cache) {

    /** Rejects audiences of tokens that are not reviewed, and a recheck without a pause. */
    public AccessProperties {
        authentication = List.copyOf(authentication);
        audiences = List.copyOf(audiences);
        refuse(
                !audiences.isEmpty() && !authentication.contains(AuthenticationMethod.TOKEN_REVIEW),
                "kubemirror.access.audiences",
                "is not used; add token-review to kubemirror.access.authentication or remove it");
        requireAtLeast(
                "kubemirror.access.recheck-interval", recheckInterval, Duration.ofSeconds(1));
    }

    /** Returns whether clients need credentials. */
    public boolean needsCredentials() {
        return !authentication.isEmpty();
    }

    /** The supported authentication methods. */
    public enum AuthenticationMethod {
        /** A bearer token that the API server validates. */
        TOKEN_REVIEW,
        /** A client certificate that the TLS configuration of the server trusts. */
        CLIENT_CERTIFICATE
    }

    /**
     * Cache of review results.
     *
     * @param allowed TTL of positive review results.
     * @param denied TTL of negative review results.
     * @param grace How much longer positive results are used while the API server is unavailable.
     */
    public record Cache(
            @DefaultValue("1m") @DurationUnit(ChronoUnit.SECONDS) Duration allowed,
            @DefaultValue("10s") @DurationUnit(ChronoUnit.SECONDS) Duration denied,
            @DefaultValue("5m") @DurationUnit(ChronoUnit.SECONDS) Duration grace) {

        /** Rejects negative times. */
        public Cache {
            requireAtLeast("kubemirror.access.cache.allowed", allowed, Duration.ZERO);
            requireAtLeast("kubemirror.access.cache.denied", denied, Duration.ZERO);
            requireAtLeast("kubemirror.access.cache.grace", grace, Duration.ZERO);
        }
    }
}
