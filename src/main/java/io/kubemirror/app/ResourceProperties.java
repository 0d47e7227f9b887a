package io.kubemirror.app;

import static java.util.Objects.requireNonNullElse;

import module java.base;

import io.kubemirror.app.EtcdProperties.KeysInEtcd;
import io.kubemirror.app.MirrorProperties.ResourceDefaults;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.ReadPolicy;
import io.kubemirror.mirror.ReadPolicy.ReadMode;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorSettings;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.source.StoredFields;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesSource;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * A resource to mirror, an element of {@code kubemirror.resources}.
 *
 * @param resource Resource in kubectl notation: pods, deployments.apps, or widgets.v1.example.com.
 *     On demand also a pattern: *.example.com, *., or *.
 * @param namespaces [KEY] Namespaces to mirror, each with its own list-watch. Default: all, with
 *     one list-watch.
 * @param labelSelector Label selector sent to the API server.
 * @param fieldSelector Field selector sent to the API server.
 * @param strategy Overrides kubemirror.defaults.strategy.
 * @param indexFields Paths of additional fields that clients may use in field selectors.
 * @param maxObjects Maximum number of objects; 0 for no limit.
 * @param maxBytes Maximum memory for the objects of one mirror; 0 for no limit.
 * @param reads Overrides kubemirror.defaults.reads.
 * @param keepFields Paths of the only members to store of each object, beside its identity.
 * @param dropFields [KEY] Paths of members to remove from each object before it is stored.
 * @param metadataOnly Whether to mirror only the metadata of each object.
 * @param start When the mirror starts: with the process, or with the first request for it.
 * @param idle How long a mirror on demand may be without requests and watches before it ends.
 * @param etcd Where etcd holds the resource. Default: the API server serves it.
 */
@ConfigurationPropertiesSource
public record ResourceProperties(
        @DefaultValue("") String resource,
        @DefaultValue List<String> namespaces,
        @DefaultValue("") LabelSelector labelSelector,
        @DefaultValue("") FieldSelector fieldSelector,
        @Nullable Strategy strategy,
        @DefaultValue List<SelectableField> indexFields,
        @DefaultValue("0") long maxObjects,
        @DefaultValue("0B") DataSize maxBytes,
        @Nullable ReadMode reads,
        @DefaultValue List<FieldPath> keepFields,
        @DefaultValue List<FieldPath> dropFields,
        @DefaultValue("false") boolean metadataOnly,
        @DefaultValue("always") MirrorStart start,
        @DefaultValue("10m") @DurationUnit(ChronoUnit.SECONDS) Duration idle,
        @Nullable @NestedConfigurationProperty KeysInEtcd etcd) {

    private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

    /** All resources, those of the core group, or those of another group. */
    private static final Pattern MANY =
            Pattern.compile("\\*(\\.([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?)?");

    /** Plural, version, and group, which is empty for core. */
    private static final Pattern FULL_NAME =
            Pattern.compile(
                    "(?<plural>[^.]+)\\.(?<version>v[0-9]+((alpha|beta)[0-9]+)?)\\.(?<group>.*)");

    /** When a mirror starts. */
    public enum MirrorStart {
        /** With the process. */
        ALWAYS,
        /** With the first request for it. */
        ON_DEMAND
    }

    /** Refuses what is not in its notation, and what contradicts itself. */
    public ResourceProperties {
        namespaces = List.copyOf(namespaces);
        indexFields = List.copyOf(indexFields);
        keepFields = List.copyOf(keepFields);
        dropFields = List.copyOf(dropFields);
        Assert.hasText(resource, "resource is missing; set it, for example to pods");
        boolean many = MANY.matcher(resource).matches();
        Assert.isTrue(
                many || ResourceName.isValid(resource),
                "resource is no name of kubectl api-resources and no pattern such as *.apps");
        Assert.isTrue(
                !many || start == MirrorStart.ON_DEMAND,
                "a pattern stands for many resources; set start=on-demand");
        Assert.isTrue(
                namespaces.stream().allMatch(one -> NAMESPACE.matcher(one).matches())
                        && Set.copyOf(namespaces).size() == namespaces.size(),
                "namespaces has a duplicate, or what is no name of a namespace: " + namespaces);
        Assert.isTrue(
                maxObjects >= 0 && !maxBytes.isNegative(),
                "max-objects or max-bytes is negative; use 0 for no limit");
        Assert.isTrue(
                !metadataOnly || indexFields.isEmpty(),
                "index-fields cannot be used with metadata-only; remove one of them");
        Assert.isTrue(
                etcd == null
                        || (FULL_NAME.matcher(resource).matches() && start == MirrorStart.ALWAYS),
                "a resource in etcd needs plural, version and group, for example"
                        + " networkpolicies.v3.projectcalico.org, and start=always");
        // Refuses members that every object needs.
        var _ = new StoredFields(keepFields, dropFields);
    }

    /** Returns a resource without settings of its own, as Boot reads {@code - pods}. */
    public static ResourceProperties of(String resource) {
        return new ResourceProperties(
                resource,
                List.of(),
                LabelSelector.everything(),
                FieldSelector.everything(),
                null,
                List.of(),
                0,
                DataSize.ofBytes(0),
                null,
                List.of(),
                List.of(),
                false,
                MirrorStart.ALWAYS,
                Duration.ofMinutes(10),
                null);
    }

    /** Returns whether its mirrors start with the first request for them. */
    public boolean isOnDemand() {
        return start == MirrorStart.ON_DEMAND;
    }

    /** Returns whether it stands for many resources. */
    public boolean isPattern() {
        return resource.startsWith("*");
    }

    /** Returns the name of what is no pattern. */
    public ResourceName name() {
        return new ResourceName(resource);
    }

    /** Returns whether it is for Secrets alone. */
    boolean isSecrets() {
        return resource.matches("secrets(\\.(.*\\.)?)?")
                || type().filter(type -> type.group().isEmpty() && type.kind().equals("Secret"))
                        .isPresent();
    }

    /**
     * Returns whether answers of the API server have all that its mirrors have, and nothing more.
     */
    boolean isWhole() {
        return !metadataOnly
                && stored().equals(StoredFields.ALL)
                && labelSelector.equals(LabelSelector.everything())
                && fieldSelector.equals(FieldSelector.everything());
    }

    /** Returns whether its mirrors leave out more than members of the metadata. */
    boolean hidesBeyondMetadata() {
        return metadataOnly
                || !keepFields.isEmpty()
                || !dropFields.stream().allMatch(StoredFields::isOfMetadata);
    }

    /** Returns the type of a resource in etcd, empty for others. */
    public Optional<ResourceType> type() {
        Matcher name = FULL_NAME.matcher(resource);
        return etcd == null || !name.matches()
                ? Optional.empty()
                : Optional.of(
                        new ResourceType(
                                name.group("group"),
                                name.group("version"),
                                etcd.kind(),
                                name.group("plural"),
                                etcd.kind().toLowerCase(Locale.ROOT),
                                etcd.namespaced(),
                                List.of(),
                                List.of()));
    }

    private StoredFields stored() {
        return new StoredFields(keepFields, dropFields).withoutCopies(metadataOnly);
    }

    Strategy strategy(ResourceDefaults defaults) {
        return requireNonNullElse(strategy, defaults.strategy());
    }

    ReadMode reads(ResourceDefaults defaults) {
        return requireNonNullElse(reads, defaults.reads());
    }

    private ReflectorSettings settings(MirrorProperties all) {
        return new ReflectorSettings(
                strategy(all.defaults()),
                all.defaults().pageSize(),
                stored(),
                indexFields,
                all.upstream().watches(),
                MirrorDefinition.timeouts(all, isOnDemand()));
    }

    private ReadPolicy policy(ResourceDefaults defaults) {
        return new ReadPolicy(
                reads(defaults),
                !metadataOnly && stored().equals(StoredFields.ALL),
                defaults.stalenessBound(),
                stored().text(),
                indexFields);
    }

    /**
     * Returns the mirrors of a resource.
     *
     * @param all the configuration that this is a part of
     */
    public List<MirrorDefinition> definitions(ResourceName name, MirrorProperties all) {
        ReflectorSettings settings = settings(all);
        ReadPolicy reads = policy(all.defaults());
        MirrorMemory.Limits limits = new MirrorMemory.Limits(maxObjects, maxBytes.toBytes());
        Window window = all.history().window();
        Extent extent = metadataOnly ? Extent.METADATA : Extent.WHOLE;
        return (namespaces.isEmpty() ? List.of("") : namespaces)
                .stream()
                        .map(one -> new Selection(one, labelSelector, fieldSelector))
                        .map(one -> new Scope(name, one, extent))
                        .map(one -> new MirrorDefinition(one, settings, reads, limits, window))
                        .toList();
    }
}
