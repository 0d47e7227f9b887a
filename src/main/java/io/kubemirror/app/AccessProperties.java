package io.kubemirror.app;

import module java.base;

import jakarta.validation.Valid;

import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
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
        @DefaultValue("1m")
                @DurationUnit(ChronoUnit.SECONDS)
                @DurationMin(seconds = 1, message = "is too short; use 1000ms or more")
                Duration recheckInterval,
        @DefaultValue @Valid Cache cache) {

    /** Rejects audiences of tokens that nobody reviews. */
    public AccessProperties {
        authentication = List.copyOf(authentication);
        audiences = List.copyOf(audiences);
        if (!audiences.isEmpty() && !authentication.contains(AuthenticationMethod.TOKEN_REVIEW)) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror.access.audiences",
                    audiences,
                    "is not used; add token-review to kubemirror.access.authentication or remove"
                            + " it");
        }
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
            @DefaultValue("1m")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(message = "is too short; use 0ms or more")
                    Duration allowed,
            @DefaultValue("10s")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(message = "is too short; use 0ms or more")
                    Duration denied,
            @DefaultValue("5m")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(message = "is too short; use 0ms or more")
                    Duration grace) {}
}
