package io.kubemirror.app;

import io.kubemirror.api.read.ReadPolicy.ReadMode;
import io.kubemirror.app.MirrorProperties.ResourceProperties;
import io.kubemirror.feature.etcd.StoredCollection;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceName.Match;
import io.kubemirror.model.ResourceType;
import io.kubemirror.reflector.Strategy;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads which of the configured resources etcd holds, and checks what annotations cannot: etcd has
 * no discovery, no initial events, and no Kubernetes API.
 */
final class StoredResources {

    private static final String NO_PREFIX =
            "does not end with a slash; use the beginning of the keys, for example"
                    + " /calico/resources/v3/projectcalico.org/networkpolicies/";

    /** Plural, version, and group, which is empty for core. */
    private static final Pattern FULL_NAME =
            Pattern.compile(
                    "(?<plural>[^.]+)\\.(?<version>v[0-9]+((alpha|beta)[0-9]+)?)\\.(?<group>.*)");

    private StoredResources() {}

    /**
     * A resource in etcd.
     *
     * @param prefix Beginning of the keys, up to the namespace or name.
     * @param kind Kind of the objects.
     * @param namespaced Whether the keys go on with a namespace.
     */
    record StoredProperties(
            @DefaultValue("")
                    @jakarta.validation.constraints.Pattern(
                            regexp = ".*[^/].*/",
                            message = NO_PREFIX)
                    String prefix,
            @DefaultValue("")
                    @jakarta.validation.constraints.Pattern(
                            regexp = "[A-Z][A-Za-z0-9]*",
                            message = "is not a kind; use a name such as NetworkPolicy")
                    String kind,
            @DefaultValue("true") boolean namespaced) {

        @Override
        public String toString() {
            return "%s (%s, %s)"
                    .formatted(prefix, kind, namespaced ? "namespaced" : "cluster-scoped");
        }
    }

    /** Reads the resources that etcd holds, in the order of the configuration. */
    static List<StoredCollection> all(MirrorProperties properties) {
        List<StoredCollection> all = new ArrayList<>();
        List<ResourceProperties> resources = properties.resources();
        for (int i = 0; i < resources.size(); i++) {
            StoredProperties etcd = resources.get(i).etcd();
            if (etcd != null) {
                String at = "kubemirror.resources[" + i + "]";
                require(
                        properties.upstream().etcd() != null,
                        at + ".etcd",
                        "has no members; set kubemirror.upstream.etcd.endpoints");
                all.add(stored(at, resources.get(i), etcd, properties));
            }
        }
        require(
                properties.upstream().etcd() == null || !all.isEmpty(),
                "kubemirror.upstream.etcd",
                "is not used; set kubemirror.resources[].etcd for a resource, or remove it");
        for (int i = 0; i < resources.size(); i++) {
            checkSource("kubemirror.resources[" + i + "]", resources.get(i), all);
        }
        return all;
    }

    /** Refuses other configurations in which etcd holds other resources: its client stays. */
    static void keep(CurrentProperties current) {
        Set<StoredCollection> kept = Set.copyOf(all(current.get(MirrorProperties.class)));
        var _ =
                current.part(
                        MirrorProperties.class,
                        next -> {
                            require(
                                    kept.equals(Set.copyOf(all(next))),
                                    "kubemirror.resources[].etcd",
                                    "what is read from etcd stays as it is while kubemirror runs;"
                                            + " restart it, or undo the change");
                            return kept;
                        });
    }

    private static StoredCollection stored(
            String at,
            ResourceProperties resource,
            StoredProperties etcd,
            MirrorProperties properties) {
        Matcher name = FULL_NAME.matcher(resource.resource());
        require(
                name.matches(),
                at + ".resource",
                "is not complete, and etcd has no discovery; use plural, version and group, for"
                        + " example networkpolicies.v3.projectcalico.org, or configmaps.v1. for"
                        + " the core group");
        checkServerless(at, resource.over(properties.defaults()));
        require(
                etcd.namespaced() || resource.namespaces().isEmpty(),
                at + ".namespaces",
                "cannot be used with etcd.namespaced=false; remove one of them");
        String group = name.group("group");
        require(
                properties.allowSecrets() || !(group.isEmpty() && etcd.kind().equals("Secret")),
                at + ".etcd.kind",
                "all clients of kubemirror could read secrets; remove it, or set"
                        + " kubemirror.allow-secrets=true to allow this");
        ResourceType type =
                new ResourceType(
                        group,
                        name.group("version"),
                        etcd.kind(),
                        name.group("plural"),
                        etcd.kind().toLowerCase(Locale.ROOT),
                        etcd.namespaced(),
                        List.of(),
                        List.of());
        return new StoredCollection(type, etcd.prefix());
    }

    /** Refuses what only an API server can do. */
    private static void checkServerless(String at, ResourceDefaults settings) {
        require(
                settings.strategy() != Strategy.WATCH_LIST,
                at + ".strategy",
                "watch-list needs an API server; use auto for a resource in etcd");
        require(
                settings.reads() == ReadMode.CACHE,
                at + ".reads",
                "needs an API server; use cache for a resource in etcd");
    }

    /** A type has one source, since its path does not say which. */
    private static void checkSource(
            String at, ResourceProperties resource, List<StoredCollection> stored) {
        if (OnDemandResource.isPattern(resource.resource())) {
            return;
        }
        for (StoredCollection other : stored) {
            boolean same = isFor(new ResourceName(resource.resource()), other.type());
            require(
                    !same
                            || (resource.etcd() != null
                                    && resource.etcd().prefix().equals(other.prefix())),
                    at + ".etcd",
                    "%s has another source in this configuration; use one source for a resource"
                            .formatted(other.type().groupResource()));
        }
    }

    /** Returns whether a configured name is for a type in etcd, or may be. */
    static boolean isFor(ResourceName name, ResourceType type) {
        return name.match(type.group(), type.version(), type.plural()) != Match.NONE;
    }

    private static void require(boolean condition, String property, String problemAndRemedy) {
        if (!condition) {
            throw new InvalidConfigurationPropertyValueException(property, null, problemAndRemedy);
        }
    }
}
