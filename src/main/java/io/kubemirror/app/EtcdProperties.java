package io.kubemirror.app;

import module java.base;

import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.Pattern;

import okhttp3.HttpUrl;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * An etcd that holds resources as JSON documents, such as that of Calico.
 *
 * @param endpoints Client URLs of the members, such as https://10.0.0.1:2379.
 * @param sslBundle Name of an SSL bundle (spring.ssl.bundle) with the CA of the members and, if
 *     they require one, a client certificate. Default: the CAs of the platform.
 * @param user User for etcd's authentication by password.
 * @param passwordFile Path of a file whose first line is the password. It is read again for each
 *     login.
 * @param acknowledgeNoAuthorization Required: true. What kubemirror reads from etcd has not passed
 *     the authorization of an API server.
 */
public record EtcdProperties(
        @NotEmpty(
                        message =
                                "is missing; set it to the client URLs of the members, for"
                                        + " example https://10.0.0.1:2379")
                @DefaultValue
                List<String> endpoints,
        @Nullable String sslBundle,
        @Nullable String user,
        @Nullable String passwordFile,
        @DefaultValue("false") boolean acknowledgeNoAuthorization) {

    private static final String AT = "upstream.etcd.";

    /** Rejects endpoints that are no URLs of members, and contradictions. */
    public EtcdProperties {
        endpoints = List.copyOf(endpoints);
        for (int i = 0; i < endpoints.size(); i++) {
            require(
                    isMember(endpoints.get(i)),
                    AT + "endpoints[" + i + "]",
                    "is not the URL of a member; use scheme, host and port, for example"
                            + " https://10.0.0.1:2379");
        }
        long secure = endpoints.stream().filter(one -> one.startsWith("https:")).count();
        require(
                secure == 0 || secure == endpoints.size(),
                AT + "endpoints",
                "mixes http and https; use one of them");
        require(
                sslBundle == null || secure > 0,
                AT + "ssl-bundle",
                "is not used with http; use https, or remove it");
        require(
                (user == null) == (passwordFile == null),
                AT + (user == null ? "user" : "password-file"),
                "is missing; set both, or none");
        require(
                acknowledgeNoAuthorization,
                AT + "acknowledge-no-authorization",
                "is not true; kubemirror reads etcd around the authorization of the API"
                        + " server, and serves it to its own clients: read the threat model,"
                        + " and set it to true");
    }

    private static boolean isMember(String endpoint) {
        HttpUrl url = HttpUrl.parse(endpoint);
        return url != null
                && url.equals(url.resolve("/"))
                && url.username().isEmpty()
                && url.password().isEmpty();
    }

    /** Shows neither the user nor the password. */
    @Override
    public String toString() {
        return String.join(", ", endpoints);
    }

    /**
     * A resource in etcd.
     *
     * @param prefix Beginning of the keys, up to the namespace or name.
     * @param kind Kind of the objects.
     * @param namespaced Whether the keys go on with a namespace.
     */
    public record KeysInEtcd(
            @DefaultValue("")
                    @Pattern(
                            regexp = ".*[^/].*/",
                            message =
                                    "does not end with a slash; use the beginning of the keys, for"
                                        + " example"
                                        + " /calico/resources/v3/projectcalico.org/networkpolicies/")
                    String prefix,
            @DefaultValue("")
                    @Pattern(
                            regexp = "[A-Z][A-Za-z0-9]*",
                            message = "is not a kind; use a name such as NetworkPolicy")
                    String kind,
            @DefaultValue("true") boolean namespaced) {}

    private static void require(boolean condition, String property, String problemAndRemedy) {
        if (!condition) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror." + property, null, problemAndRemedy);
        }
    }
}
