package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.app.ConfiguredResource;
import io.kubemirror.app.ResourceExtension;
import io.kubemirror.app.config.BoundRecords;
import io.kubemirror.app.config.ResourceElement;
import io.kubemirror.model.ResourceType;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.Pattern;

import okhttp3.HttpUrl;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesSource;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.validation.annotation.Validated;

/**
 * Which resources etcd holds, and where it is. Checks what annotations cannot: etcd has no
 * discovery, no initial events, and no Kubernetes API.
 *
 * @param upstream The API server and how to connect to it.
 * @param resources [KEY] Resources to mirror, at least one. Each element is a resource, or has a
 *     resource and settings of its own.
 */
@Validated
@ConfigurationProperties("kubemirror")
record EtcdProperties(
        @DefaultValue @Valid EtcdUpstream upstream,
        @DefaultValue List<@Valid ResourceInEtcd> resources)
        implements ResourceExtension {

    /** Plural, version, and group, which is empty for core. */
    private static final java.util.regex.Pattern FULL_NAME =
            java.util.regex.Pattern.compile(
                    "(?<plural>[^.]+)\\.(?<version>v[0-9]+((alpha|beta)[0-9]+)?)\\.(?<group>.*)");

    /**
     * What the resources are read from.
     *
     * @param etcd An etcd that holds some or all of the resources.
     */
    record EtcdUpstream(@Nullable @Valid @NestedConfigurationProperty EtcdMembers etcd) {}

    /**
     * An etcd that holds resources as JSON documents, such as that of Calico.
     *
     * @param endpoints Client URLs of the members, such as https://10.0.0.1:2379.
     * @param sslBundle Name of an SSL bundle (spring.ssl.bundle) with the CA of the members and, if
     *     they require one, a client certificate. Default: the CAs of the platform.
     * @param user User for etcd's authentication by password.
     * @param password Password of the user.
     * @param passwordFile Path of a file whose first line is the password. It is read again for
     *     each login.
     * @param acknowledgeNoAuthorization Required: true. What kubemirror reads from etcd has not
     *     passed the authorization of an API server.
     */
    record EtcdMembers(
            @NotEmpty(
                            message =
                                    "is missing; set it to the client URLs of the members, for"
                                            + " example https://10.0.0.1:2379")
                    @DefaultValue
                    List<String> endpoints,
            @Nullable String sslBundle,
            @Nullable String user,
            @Nullable String password,
            @Nullable String passwordFile,
            @DefaultValue("false") boolean acknowledgeNoAuthorization) {

        private static final String AT = "upstream.etcd.";

        /** Rejects endpoints that are no URLs of members, and contradictions. */
        EtcdMembers {
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
                    user != null || (password == null && passwordFile == null),
                    AT + "user",
                    "is missing; set it, or remove the password");
            require(
                    user == null || (password == null) != (passwordFile == null),
                    AT + "password",
                    "set either password or password-file for the user");
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
    }

    /**
     * A resource to mirror.
     *
     * @param resource Resource in kubectl notation.
     * @param etcd Where etcd holds the resource. Default: the API server serves it.
     */
    @ConfigurationPropertiesSource
    record ResourceInEtcd(
            @DefaultValue("") String resource,
            @Nullable @Valid @NestedConfigurationProperty KeysInEtcd etcd)
            implements ResourceElement {

        /** Returns where etcd holds it, empty if it does not, or if the name is not complete. */
        Optional<StoredCollection> stored() {
            Matcher name = FULL_NAME.matcher(resource);
            if (etcd == null || !name.matches()) {
                return Optional.empty();
            }
            ResourceType type =
                    new ResourceType(
                            name.group("group"),
                            name.group("version"),
                            etcd.kind(),
                            name.group("plural"),
                            etcd.kind().toLowerCase(Locale.ROOT),
                            etcd.namespaced(),
                            List.of(),
                            List.of());
            return Optional.of(new StoredCollection(type, etcd.prefix()));
        }
    }

    /**
     * A resource in etcd.
     *
     * @param prefix Beginning of the keys, up to the namespace or name.
     * @param kind Kind of the objects.
     * @param namespaced Whether the keys go on with a namespace.
     */
    record KeysInEtcd(
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

    /**
     * Returns where etcd holds resources, in the order of the configuration.
     *
     * @throws InvalidConfigurationPropertyValueException if there is a mistake in the settings
     */
    static List<StoredCollection> stored(BoundRecords records) {
        EtcdProperties properties = records.get(EtcdProperties.class);
        List<StoredCollection> stored =
                ConfiguredResource.all(records).stream()
                        .flatMap(resource -> properties.stored(resource).stream())
                        .toList();
        require(
                properties.upstream.etcd() == null || !stored.isEmpty(),
                "upstream.etcd",
                "is not used; set kubemirror.resources[].etcd for a resource, or remove it");
        return stored;
    }

    private Optional<StoredCollection> stored(ConfiguredResource resource) {
        KeysInEtcd keys = resources.get(resource.index()).etcd();
        if (keys == null) {
            return Optional.empty();
        }
        resource.refuse(
                "etcd",
                resource.isDeferred(),
                "is not possible on demand, because the API server answers the first request; use"
                        + " start=always");
        resource.refuse(
                "etcd",
                upstream.etcd() == null,
                "is not used; set kubemirror.upstream.etcd.endpoints, or remove it");
        Optional<StoredCollection> stored = resources.get(resource.index()).stored();
        resource.refuse(
                "resource",
                stored.isEmpty(),
                "is not complete, and etcd has no discovery; use plural, version and group, for"
                        + " example networkpolicies.v3.projectcalico.org, or configmaps.v1. for"
                        + " the core group");
        resource.refuseServer("in etcd");
        resource.refuse(
                "namespaces",
                !keys.namespaced() && !resource.namespaces().equals(List.of("")),
                "cannot be used with etcd.namespaced=false; remove one of them");
        boolean core = stored.filter(one -> one.type().group().isEmpty()).isPresent();
        resource.refuseSecrets("etcd.kind", core && keys.kind().equals("Secret"));
        return stored;
    }

    /** Objects in etcd are whole. A type has one source, since its path does not say which. */
    @Override
    public MirroredPart mirrored(ConfiguredResource resource) {
        String prefix = stored(resource).map(StoredCollection::prefix).orElse("");
        resources.stream()
                .flatMap(other -> other.stored().stream())
                .filter(other -> other.isNamed(resource.name()))
                .forEach(
                        other ->
                                resource.refuse(
                                        "etcd",
                                        !other.prefix().equals(prefix),
                                        other.type().groupResource()
                                                + " has another source in this configuration; use"
                                                + " one source for a resource"));
        return MirroredPart.WHOLE;
    }

    static void require(boolean condition, String property, String problemAndRemedy) {
        if (!condition) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror." + property, null, problemAndRemedy);
        }
    }
}
