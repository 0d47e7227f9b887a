package io.kubemirror.app;

import module java.base;

import io.kubemirror.api.http.FieldSelectorParser;
import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.api.read.ReadPolicy.ReadMode;
import io.kubemirror.app.EtcdProperties.KeysInEtcd;
import io.kubemirror.app.MirrorProperties.ResourceProperties;
import io.kubemirror.app.MirrorProperties.ResourceProperties.MirrorStart;
import io.kubemirror.kube.json.StoredFields;
import io.kubemirror.kube.json.StoredFieldsTransform;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorSettings;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.source.ObjectTransform;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** An element of {@code kubemirror.resources}: its mirrors, and what it must not say. */
public final class ConfiguredResource {

    /** A resynchronization is a list of everything, for the case that something was missed. */
    private static final Duration MIN_RESYNC_PERIOD = Duration.ofSeconds(10);

    /** How long a mirror on demand may be idle, unless it is configured. */
    private static final Duration IDLE = Duration.ofMinutes(10);

    private static final ResourceName ANY = new ResourceName("any");

    /** A pattern for the resources of a group, or for all. */
    private static final Pattern PATTERN =
            Pattern.compile(
                    "\\*(\\.([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?)?");

    /** Plural, version, and group, which is empty for core. */
    private static final Pattern FULL_NAME =
            Pattern.compile(
                    "(?<plural>[^.]+)\\.(?<version>v[0-9]+((alpha|beta)[0-9]+)?)\\.(?<group>.*)");

    private static final String ONLY_ONE = "; name one resource, or remove it";

    private final int index;
    private final MirrorProperties properties;
    private final ResourceProperties resource;
    private final ResourceDefaults how;
    private final Window window;

    private ConfiguredResource(int index, MirrorProperties properties) {
        this.index = index;
        this.properties = properties;
        this.resource = properties.resources().get(index);
        this.how = resource.over(properties.defaults());
        this.window = properties.history().window("kubemirror.history");
    }

    /** Returns the elements of a configuration, in its order. */
    public static List<ConfiguredResource> all(MirrorProperties properties) {
        return IntStream.range(0, properties.resources().size())
                .mapToObj(i -> new ConfiguredResource(i, properties))
                .toList();
    }

    /** Returns the name of the element in messages. */
    String at() {
        return "kubemirror.resources[" + index + "]";
    }

    /** Returns the resource as it is written. */
    public String text() {
        return resource.resource();
    }

    /** Returns whether its mirrors start with the first request for them. */
    public boolean isOnDemand() {
        return resource.start() == MirrorStart.ON_DEMAND;
    }

    /** Returns how long a mirror on demand may be without requests and watches. */
    public Duration idle() {
        return resource.idle() == null ? IDLE : resource.idle();
    }

    /** Returns whether Secrets may be mirrored. */
    public boolean areSecretsAllowed() {
        return properties.allowSecrets();
    }

    /** Returns whether it stands for many resources. */
    public boolean isPattern() {
        return resource.resource().startsWith("*");
    }

    /** Refuses what contradicts itself, and what is not possible. */
    private void check() {
        checkStart();
        refuseSecrets("resource", resource.resource().matches("secrets(\\.(.*\\.)?)?"));
        refuse(
                "index-fields",
                resource.metadataOnly() && !resource.indexFields().isEmpty(),
                "cannot be used with metadata-only; remove it, or set metadata-only=false");
        if (resource.etcd() != null) {
            checkEtcd(resource.etcd());
        }
        checkSource();
    }

    private void checkStart() {
        refuse(
                "idle",
                resource.idle() != null && !isOnDemand(),
                "has no effect on a mirror that starts with the process; set start=on-demand, or"
                        + " remove it");
        refuse(
                "start",
                isPattern() && !isOnDemand(),
                "is not possible for a pattern, which stands for many resources; use on-demand");
        refuse(
                "resource",
                isPattern() && !PATTERN.matcher(resource.resource()).matches(),
                "is not a pattern; use * for all resources, *. for those of the core group, or a"
                        + " group such as *.apps");
        String fields = "names fields that not all resources of a pattern have" + ONLY_ONE;
        refuse("field-selector", isPattern() && !resource.fieldSelector().isBlank(), fields);
        refuse("index-fields", isPattern() && !resource.indexFields().isEmpty(), fields);
    }

    /** Etcd has no discovery, no initial events, and no Kubernetes API. */
    private void checkEtcd(KeysInEtcd keys) {
        refuse(
                "etcd",
                isOnDemand(),
                "is not possible on demand, because the API server answers the first request; use"
                        + " start=always");
        refuse(
                "etcd",
                properties.upstream().etcd() == null,
                "is not used; set kubemirror.upstream.etcd.endpoints, or remove it");
        ResourceType type = typeInEtcd().orElse(null);
        refuse(
                "resource",
                type == null,
                "is not complete, and etcd has no discovery; use plural, version and group, for"
                        + " example networkpolicies.v3.projectcalico.org, or configmaps.v1. for"
                        + " the core group");
        refuse(
                "strategy",
                how.strategy() == Strategy.WATCH_LIST,
                "watch-list needs an API server; use auto for a resource in etcd");
        refuse(
                "reads",
                isAnsweredByServer(),
                "needs an API server; use cache for a resource in etcd");
        refuse(
                "namespaces",
                !keys.namespaced() && !resource.namespaces().isEmpty(),
                "cannot be used with etcd.namespaced=false; remove one of them");
        refuseSecrets(
                "etcd.kind",
                type != null && type.group().isEmpty() && keys.kind().equals("Secret"));
    }

    /** A type has one source, since its path does not say which. */
    private void checkSource() {
        for (ConfiguredResource other : all(properties)) {
            boolean same =
                    other.typeInEtcd()
                            .filter(
                                    type ->
                                            name().match(
                                                                    type.group(),
                                                                    type.version(),
                                                                    type.plural())
                                                    != ResourceName.Match.NONE)
                            .isPresent();
            refuse(
                    "etcd",
                    same && !other.prefix().equals(prefix()),
                    "%s has another source in this configuration; use one source for a resource"
                            .formatted(other.text()));
        }
    }

    /** Returns the beginning of its keys in etcd, empty if it is not there. */
    public String prefix() {
        return resource.etcd() == null ? "" : resource.etcd().prefix();
    }

    /** Returns the type in etcd, empty if it is not there, or if the name is not complete. */
    public Optional<ResourceType> typeInEtcd() {
        Matcher name = FULL_NAME.matcher(resource.resource());
        KeysInEtcd keys = resource.etcd();
        return keys == null || !name.matches()
                ? Optional.empty()
                : Optional.of(
                        new ResourceType(
                                name.group("group"),
                                name.group("version"),
                                keys.kind(),
                                name.group("plural"),
                                keys.kind().toLowerCase(Locale.ROOT),
                                keys.namespaced(),
                                List.of(),
                                List.of()));
    }

    private void refuseSecrets(String property, boolean secrets) {
        refuse(
                property,
                secrets && !areSecretsAllowed(),
                "all clients of kubemirror could read secrets; remove it, or set"
                        + " kubemirror.allow-secrets=true to allow this");
    }

    private boolean isAnsweredByServer() {
        return how.reads() != ReadMode.CACHE;
    }

    /** Refuses an element of whose objects more than members of the metadata is left out. */
    public void refuseBeyondMetadata(String problemAndRemedy) {
        refuse("metadata-only", resource.metadataOnly(), problemAndRemedy);
        refuse("keep-fields", !resource.keepFields().isEmpty(), problemAndRemedy);
        List<String> dropped = resource.dropFields();
        for (int i = 0; i < dropped.size(); i++) {
            boolean metadata = StoredFields.isOfMetadata(FieldPath.parse(dropped.get(i)));
            refuse("drop-fields[" + i + "]", !metadata, problemAndRemedy);
        }
    }

    /**
     * Refuses the element.
     *
     * @param property a property of the element
     * @param set whether it has to be refused
     */
    public void refuse(String property, boolean set, String problemAndRemedy) {
        if (set) {
            throw invalid(property, problemAndRemedy);
        }
    }

    /** Returns the resource; for a pattern any, so that the rest can be checked. */
    public ResourceName name() {
        return isPattern()
                ? ANY
                : read(
                        "resource",
                        resource.resource(),
                        ResourceName::new,
                        "use the plural name as kubectl api-resources shows it");
    }

    /** Returns the name of a scope, in which a pattern stands for itself. */
    String name(Scope scope) {
        return isPattern()
                ? scope.toString()
                        .replaceFirst(ANY.text(), Matcher.quoteReplacement(resource.resource()))
                : scope.toString();
    }

    /**
     * Returns the mirrors of a resource.
     *
     * @throws InvalidConfigurationPropertyValueException if there is a mistake in the settings
     */
    public List<MirrorDefinition> definitions(ResourceName name) {
        check();
        StoredFields stored = stored();
        ReflectorSettings settings =
                new ReflectorSettings(
                        strategy(),
                        how.pageSize(),
                        stored.equals(StoredFields.ALL)
                                ? ObjectTransform.NONE
                                : new StoredFieldsTransform(stored),
                        readAll("index-fields", resource.indexFields(), SelectableField::at),
                        how.resourceVersion(),
                        resyncPeriod(),
                        properties.upstream().watches(),
                        MirrorDefinition.timeouts(properties));
        ReadPolicy reads = reads(stored);
        Extent extent = resource.metadataOnly() ? Extent.METADATA : Extent.WHOLE;
        MirrorMemory.Limits limits = limits();
        return namespaces().stream()
                .map(namespace -> new Scope(name, selection(namespace), extent))
                .map(scope -> new MirrorDefinition(scope, settings, reads, limits, window))
                .toList();
    }

    private Strategy strategy() {
        if (how.strategy() == Strategy.WATCH_LIST && !properties.upstream().bookmarks()) {
            throw invalid(
                    "strategy",
                    resource.strategy(),
                    "watch-list needs bookmarks; use auto, or set"
                            + " kubemirror.upstream.bookmarks=true");
        }
        return how.strategy();
    }

    private Duration resyncPeriod() {
        Duration period = how.resyncPeriod();
        if (period.isPositive() && period.compareTo(MIN_RESYNC_PERIOD) < 0) {
            throw invalid("resync-period", null, "is too short; use 10s or more, or 0 for never");
        }
        return period;
    }

    private StoredFields stored() {
        return new StoredFields(
                        readAll("keep-fields", resource.keepFields(), FieldPath::parse),
                        readAll(
                                "drop-fields",
                                resource.dropFields(),
                                ConfiguredResource::droppable))
                .withoutCopies(resource.metadataOnly());
    }

    private static FieldPath droppable(String text) {
        FieldPath path = FieldPath.parse(text);
        // Refuses members that every object needs.
        var _ = new StoredFields(List.of(), List.of(path));
        return path;
    }

    /** The API server answers with whole objects, including what a mirror drops. */
    private ReadPolicy reads(StoredFields stored) {
        boolean hides = resource.metadataOnly() || !stored.equals(StoredFields.ALL);
        boolean selected =
                !resource.labelSelector().isBlank() || !resource.fieldSelector().isBlank();
        if ((hides || selected) && isAnsweredByServer()) {
            throw invalid(
                    "reads",
                    "the API server would return what keep-fields, drop-fields,"
                            + " metadata-only, and selectors exclude; use"
                            + " cache, or mirror whole objects without selectors");
        }
        if (hides) {
            return new ReadPolicy.Partial(how.stalenessBound(), stored.text());
        }
        return new ReadPolicy.Whole(how.reads(), how.stalenessBound());
    }

    private MirrorMemory.Limits limits() {
        if (resource.maxBytes().isNegative()) {
            throw invalid("max-bytes", "is negative; use a size such as 50MB, or 0 for no limit");
        }
        return new MirrorMemory.Limits(resource.maxObjects(), resource.maxBytes().toBytes());
    }

    /** Returns the namespaces to mirror, an empty one for all. */
    public List<String> namespaces() {
        List<String> namespaces = resource.namespaces();
        for (int i = 0; i < namespaces.size(); i++) {
            if (namespaces.indexOf(namespaces.get(i)) < i) {
                throw invalid(
                        "namespaces[" + i + "]",
                        "'" + namespaces.get(i) + "' is a duplicate; remove it");
            }
        }
        return namespaces.isEmpty() ? List.of("") : namespaces;
    }

    private Selection selection(String namespace) {
        return new Selection(
                namespace,
                read(
                        "label-selector",
                        resource.labelSelector(),
                        LabelSelectorParser::parse,
                        "use the syntax of kubectl get --selector"),
                fieldSelector());
    }

    /** Returns the selector of what is mirrored. */
    public FieldSelector fieldSelector() {
        return read(
                "field-selector",
                resource.fieldSelector(),
                FieldSelectorParser::parse,
                "use the syntax of kubectl get --field-selector");
    }

    /**
     * Reads a list of fields.
     *
     * @param property a property of the element
     * @param texts its values
     * @param notation parses one; throws an {@link IllegalArgumentException} with what is wrong
     */
    public <T> List<T> readAll(String property, List<String> texts, Notation<T> notation) {
        return IntStream.range(0, texts.size())
                .mapToObj(
                        i ->
                                read(
                                        property + "[" + i + "]",
                                        texts.get(i),
                                        notation,
                                        "use another field or remove it"))
                .toList();
    }

    private <T> T read(String property, String text, Notation<T> notation, String remedy) {
        try {
            return notation.parse(text);
        } catch (Rejection | IllegalArgumentException e) {
            throw invalid(property, e.getMessage() + "; " + remedy);
        }
    }

    private InvalidConfigurationPropertyValueException invalid(
            String property, String problemAndRemedy) {
        return invalid(property, /* own= */ "", problemAndRemedy);
    }

    /** A setting that the resource does not have is that of the defaults. */
    private InvalidConfigurationPropertyValueException invalid(
            String property, @Nullable Object own, String problemAndRemedy) {
        return new InvalidConfigurationPropertyValueException(
                (own == null ? "kubemirror.defaults" : at()) + "." + property,
                null,
                problemAndRemedy);
    }

    /** Parses a value. */
    @FunctionalInterface
    public interface Notation<T> {

        /**
         * Returns the value.
         *
         * @throws IllegalArgumentException if the text is not in the notation
         */
        T parse(String text) throws Rejection;
    }
}
