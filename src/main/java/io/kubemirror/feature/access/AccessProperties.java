package io.kubemirror.feature.access;

import module java.base;

import io.kubemirror.api.http.AccessControl;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Min;

import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.validation.annotation.Validated;

/**
 * Authentication and authorization of clients.
 *
 * @param authentication [KEY] Accepted authentication methods. Empty disables authentication.
 * @param authorization How requests of authenticated clients are authorized.
 * @param audiences Accepted token audiences; a token must be valid for at least one. Default: the
 *     API server's own.
 * @param tokenFile Path of a static token file with lines of the form
 *     token,user,uid,"group1,group2".
 * @param permittedNamespaces Whether a client that may not read a resource in all namespaces gets
 *     the objects of those in which it may.
 * @param reviewTimeout Timeout of a review request to the API server.
 * @param recheckInterval Interval at which the permissions of open watches are checked again.
 * @param cache Cache of review results.
 */
@Validated
@ConfigurationProperties("kubemirror.access")
public record AccessProperties(
        @DefaultValue List<AuthenticationMethod> authentication,
        @DefaultValue("access-review") AuthorizationMode authorization,
        @DefaultValue List<String> audiences,
        @Nullable String tokenFile,
        @DefaultValue("false") boolean permittedNamespaces,
        @DefaultValue("5s")
                @DurationUnit(ChronoUnit.SECONDS)
                @DurationMin(millis = 100, message = "is too short; use 100ms or more")
                Duration reviewTimeout,
        @DefaultValue("1m")
                @DurationUnit(ChronoUnit.SECONDS)
                @DurationMin(seconds = 1, message = "is too short; use 1000ms or more")
                Duration recheckInterval,
        @DefaultValue @Valid Cache cache)
        implements AccessControl.Demand {

    /** The name of the property for the token file. */
    static final String TOKEN_FILE = "kubemirror.access.token-file";

    /** Rejects settings of authentication methods that are not used. */
    public AccessProperties {
        authentication = List.copyOf(authentication);
        audiences = List.copyOf(audiences);
        boolean file = authentication.contains(AuthenticationMethod.TOKEN_FILE);
        require(
                !file || tokenFile != null,
                TOKEN_FILE,
                "is missing; set it to a file, or remove token-file from"
                        + " kubemirror.access.authentication");
        require(
                file || tokenFile == null,
                TOKEN_FILE,
                "is not used; add token-file to kubemirror.access.authentication or remove it");
        require(
                authentication.contains(AuthenticationMethod.TOKEN_REVIEW) || audiences.isEmpty(),
                "kubemirror.access.audiences",
                "is not used; add token-review to kubemirror.access.authentication or remove it");
    }

    @Override
    public boolean needsCredentials() {
        return !authentication.isEmpty();
    }

    @Override
    public boolean admitsAll() {
        return needsCredentials() && authorization == AuthorizationMode.READ_ALL;
    }

    private static void require(boolean condition, String property, String problemAndRemedy) {
        if (!condition) {
            throw new InvalidConfigurationPropertyValueException(property, null, problemAndRemedy);
        }
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
     * Cache of review results.
     *
     * @param allowed TTL of positive review results.
     * @param denied TTL of negative review results.
     * @param grace How much longer positive results are used while the API server is unavailable.
     * @param size Maximum number of cached identities, and of cached permissions.
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
                    Duration grace,
            @DefaultValue("10000") @Min(value = 1, message = "is too small; use 1 or more")
                    int size) {}
}
