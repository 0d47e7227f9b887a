package io.kubemirror.app;

import static io.kubemirror.app.MirrorProperties.refuse;

import module java.base;

import okhttp3.HttpUrl;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * An etcd that holds resources as JSON documents, such as that of Calico.
 *
 * @param endpoints Client URLs of the members, such as https://10.0.0.1:2379.
 * @param sslBundle Name of an SSL bundle (spring.ssl.bundle) with the CA of the members and perhaps
 *     a client certificate. Default: the CAs of the platform.
 * @param acknowledgeNoAuthorization Must be true: reads from etcd bypass the authorization of the
 *     API server.
 */
public record EtcdProperties(
        @DefaultValue List<String> endpoints,
        @Nullable String sslBundle,
        @DefaultValue("false") boolean acknowledgeNoAuthorization) {

    private static final String AT = "kubemirror.upstream.etcd.";

    /** Rejects endpoints that are no URLs of members, and contradictions. */
    public EtcdProperties {
        endpoints = List.copyOf(endpoints);
        long secure = endpoints.stream().filter(one -> one.startsWith("https:")).count();
        refuse(
                endpoints.isEmpty()
                        || !endpoints.stream().allMatch(EtcdProperties::isMember)
                        || (secure > 0 && secure < endpoints.size()),
                AT + "endpoints",
                "has to be the URLs of members, all with http or all with https, for example"
                        + " https://10.0.0.1:2379");
        refuse(
                sslBundle != null && secure == 0,
                AT + "ssl-bundle",
                "is not used with http; use https, or remove it");
        refuse(
                !acknowledgeNoAuthorization,
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

    /**
     * A resource in etcd.
     *
     * @param prefix Beginning of the keys, up to the namespace or name.
     * @param kind Kind of the objects.
     * @param namespaced Whether the prefix is followed by a namespace.
     */
    public record KeysInEtcd(
            @DefaultValue("") String prefix,
            @DefaultValue("") String kind,
            @DefaultValue("true") boolean namespaced) {

        /** Rejects a prefix that is no beginning of keys, and what is no kind. */
        public KeysInEtcd {
            Assert.isTrue(
                    prefix.matches(".*[^/].*/"),
                    "prefix does not end with a slash; use the beginning of the keys, for example"
                            + " /calico/resources/v3/projectcalico.org/networkpolicies/");
            Assert.isTrue(
                    kind.matches("[A-Z][A-Za-z0-9]*"),
                    "kind is not a kind; use a name such as NetworkPolicy");
        }
    }
}
