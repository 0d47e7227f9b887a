package io.kubemirror.app;

import module java.base;

import io.kubemirror.api.http.FieldSelectorParser;
import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.api.read.ReadPolicy.ReadMode;
import io.kubemirror.app.MirrorProperties.ResourceProperties;
import io.kubemirror.app.ResourceExtension.DeferredResource;
import io.kubemirror.app.ResourceExtension.MirroredPart;
import io.kubemirror.app.config.BoundRecords;
import io.kubemirror.app.config.ResourceElement;
import io.kubemirror.app.health.SyncDeadlines.OnSyncTimeout;
import io.kubemirror.app.health.SyncDeadlines.SyncLimit;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorSettings;
import io.kubemirror.reflector.ReflectorSettings.Strategy;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.function.SingletonSupplier;

/**
 * An element of {@code kubemirror.resources}, and how it is read: also by features, each of which
 * adds to it with a {@link ResourceExtension}.
 */
public final class ConfiguredResource {

    /** A resynchronization is a list of everything, for the case that something was missed. */
    private static final Duration MIN_RESYNC_PERIOD = Duration.ofSeconds(10);

    /** The core group and another one have the same events. */
    private static final String EVENTS = "events";

    private static final ResourceName ANY = new ResourceName("any");

    private final int index;
    private final MirrorProperties properties;
    private final ResourceProperties resource;
    private final List<ResourceExtension> extensions;
    private final ResourceDefaults how;
    private final Window window;

    /** Found once: requests ask what a resource covers. */
    private final Supplier<Optional<DeferredResource>> deferred =
            SingletonSupplier.of(this::findDeferred);

    private ConfiguredResource(
            int index, MirrorProperties properties, List<ResourceExtension> extensions) {
        this.index = index;
        this.properties = properties;
        this.resource = properties.resources().get(index);
        this.extensions = extensions;
        this.how = resource.over(properties.defaults());
        this.window = resource.history().over(properties.history()).window(at() + ".history");
    }

    /**
     * Returns the elements of a configuration, in its order.
     *
     * @throws InvalidConfigurationPropertyValueException if an element differs among the records
     */
    public static List<ConfiguredResource> all(BoundRecords records) {
        MirrorProperties properties = records.get(MirrorProperties.class);
        // A mistake that all resources share is reported where it is.
        var _ = properties.history().window("kubemirror.history");
        List<ResourceExtension> extensions = records.all(ResourceExtension.class).toList();
        extensions.forEach(one -> checkSame(properties.resources(), one.resources()));
        return IntStream.range(0, properties.resources().size())
                .mapToObj(i -> new ConfiguredResource(i, properties, extensions))
                .toList();
    }

    /** Each record binds a list of its own. What one has must not get lost in another. */
    private static void checkSame(
            List<? extends ResourceElement> own, List<? extends ResourceElement> others) {
        for (int i = 0; i < Math.max(own.size(), others.size()); i++) {
            if (i >= Math.min(own.size(), others.size())
                    || !own.get(i).resource().equals(others.get(i).resource())) {
                throw new InvalidConfigurationPropertyValueException(
                        at(i) + ".resource", null, ResourceElement.MISSING);
            }
        }
    }

    private static String at(int index) {
        return "kubemirror.resources[" + index + "]";
    }

    /** Returns the position in the list. */
    public int index() {
        return index;
    }

    /** Returns the name of the element in messages. */
    String at() {
        return at(index);
    }

    /** Returns whether a feature creates the mirrors while the process runs. */
    public boolean isDeferred() {
        return deferred.get().isPresent();
    }

    private Optional<DeferredResource> findDeferred() {
        return extensions.stream()
                .<DeferredResource>flatMap(one -> one.deferred(this).stream())
                .findFirst();
    }

    /** Returns whether Secrets may be mirrored. */
    public boolean areSecretsAllowed() {
        return properties.allowSecrets();
    }

    /** Applies to metadata as well, because annotations may repeat the content of a Secret. */
    void checkSecrets() {
        refuseSecrets("resource", resource.resource().matches("secrets(\\.(.*\\.)?)?"));
    }

    /**
     * Refuses a resource that is Secrets unless they are allowed.
     *
     * @param property a property of the element
     */
    public void refuseSecrets(String property, boolean secrets) {
        refuse(
                property,
                secrets && !areSecretsAllowed(),
                "all clients of kubemirror could read secrets; remove it, or set"
                        + " kubemirror.allow-secrets=true to allow this");
    }

    /** Returns whether the API server answers reads. */
    public boolean isAnsweredByServer() {
        return how.reads() != ReadMode.CACHE;
    }

    /**
     * Refuses what only an API server can do.
     *
     * @param where where the resource is instead, such as "in etcd"
     */
    public void refuseServer(String where) {
        refuse(
                "strategy",
                how.strategy() == Strategy.WATCH_LIST,
                "watch-list needs an API server; use auto for a resource " + where);
        refuse(
                "reads",
                isAnsweredByServer(),
                "needs an API server; use cache for a resource " + where);
    }

    /** Refuses what has no effect on mirrors that do not start with the process. */
    public void refuseSyncTimeout(String problemAndRemedy) {
        refuse("sync-timeout", resource.syncTimeout() != null, problemAndRemedy);
        refuse("on-sync-timeout", resource.onSyncTimeout() != null, problemAndRemedy);
    }

    /** Refuses what is possible only for resources with the same fields. */
    public void refuseFields(String problemAndRemedy) {
        refuse("field-selector", !resource.fieldSelector().isBlank(), problemAndRemedy);
        refuse("index-fields", !resource.indexFields().isEmpty(), problemAndRemedy);
    }

    /** Refuses an element of whose objects more than members of the metadata is left out. */
    public void refuseBeyondMetadata(String problemAndRemedy) {
        part().beyondMetadata().ifPresent(property -> refuse(property, true, problemAndRemedy));
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

    /** Returns whether it stands for many resources. */
    public boolean isPattern() {
        return deferred.get().filter(DeferredResource::isPattern).isPresent();
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
        MirroredPart part = part();
        ReflectorSettings settings =
                new ReflectorSettings(
                        strategy(),
                        how.pageSize(),
                        part.transform(),
                        readAll("index-fields", resource.indexFields(), SelectableField::at),
                        how.resourceVersion(),
                        resyncPeriod(),
                        properties.upstream().watches(),
                        MirrorDefinition.timeouts(properties));
        ReadPolicy reads = reads(part);
        MirrorMemory.Limits limits = limits();
        SyncLimit syncLimit = syncLimit();
        return namespaces().stream()
                .map(namespace -> new Scope(name, selection(namespace), part.extent()))
                .map(
                        scope ->
                                new MirrorDefinition(
                                        scope, settings, reads, limits, window, syncLimit))
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
            throw invalid(
                    "resync-period",
                    resource.resyncPeriod(),
                    "is too short; use 10s or more, or 0 for never");
        }
        return period;
    }

    private SyncLimit syncLimit() {
        if (resource.onSyncTimeout() == OnSyncTimeout.EXIT && how.syncTimeout().isZero()) {
            throw invalid("on-sync-timeout", MirrorDefinition.NO_SYNC_TIMEOUT);
        }
        return new SyncLimit(how.syncTimeout(), how.onSyncTimeout());
    }

    /** What features make of the objects. */
    private MirroredPart part() {
        MirroredPart part =
                extensions.stream()
                        .map(one -> one.mirrored(this))
                        .reduce(MirroredPart.WHOLE, MirroredPart::and);
        refuse(
                "index-fields",
                part.extent() == Extent.METADATA && !resource.indexFields().isEmpty(),
                "cannot be used with metadata-only; remove it, or set metadata-only=false");
        return part;
    }

    /** The API server answers with whole objects, including what a mirror drops. */
    private ReadPolicy reads(MirroredPart part) {
        String fields = part.transform().text();
        boolean hides = !part.equals(MirroredPart.WHOLE);
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
            return new ReadPolicy.Partial(how.stalenessBound(), fields);
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
