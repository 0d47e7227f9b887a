package io.kubemirror.app;

import static io.kubemirror.app.ResourceDefaults.or;

import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.api.read.ReadPolicy.ReadMode;
import io.kubemirror.api.read.ReadPolicy.ReadsAtStart;
import io.kubemirror.app.MirrorProperties.MirrorStart;
import io.kubemirror.app.MirrorProperties.ResourceProperties;
import io.kubemirror.app.health.SyncDeadlines.OnSyncTimeout;
import io.kubemirror.app.health.SyncDeadlines.SyncLimit;
import io.kubemirror.feature.redact.RedactingTransform;
import io.kubemirror.feature.redact.StoredFields;
import io.kubemirror.feature.redact.StoredFields.Redaction;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.Extent;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableField;
import io.kubemirror.model.Selection;
import io.kubemirror.model.SelectorException;
import io.kubemirror.reflector.ReflectorSettings;
import io.kubemirror.reflector.ReflectorSettings.ReflectorTimeouts;
import io.kubemirror.reflector.ReflectorSettings.WatchForm;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.source.ObjectTransform;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.stream.IntStream;

/**
 * Reads one element of the list of resources.
 *
 * @param at the name of the element, for messages
 * @param how its settings that have defaults
 * @param window the history of its mirrors
 */
record ResourceReader(String at, ResourceProperties resource, ResourceDefaults how, Window window) {

    /** A resynchronization is a list of everything, for the case that something was missed. */
    private static final Duration SHORTEST_RESYNC_PERIOD = Duration.ofSeconds(10);

    private static final ResourceName ANY = new ResourceName("any");

    private static final String NOT_ALL_FIELDS =
            "names fields that not all resources of a pattern have; name one resource, or remove"
                    + " it";

    static ResourceReader of(String at, ResourceProperties resource, MirrorProperties properties) {
        HistoryProperties all = properties.history();
        // A mistake that all resources share is reported where it is.
        var _ = all.window("kubemirror.history");
        return new ResourceReader(
                at,
                resource,
                resource.over(properties.defaults()),
                resource.history().over(all).window(at + ".history"));
    }

    /** Applies to metadata as well, because annotations may repeat the content of a Secret. */
    void checkSecrets(boolean allowed) {
        if (!allowed && resource.resource().matches("secrets(\\.(.*\\.)?)?")) {
            throw invalid(
                    "resource",
                    "all clients of kubemirror could read secrets; remove it, or set"
                            + " kubemirror.allow-secrets=true to allow this");
        }
    }

    /** Checks what a mirror on demand, or a pattern, cannot have. */
    void checkStart() {
        boolean onDemand = resource.start() == MirrorStart.ON_DEMAND;
        if (!onDemand) {
            refuse(
                    "idle",
                    resource.idle() != null,
                    "has no effect on a mirror that starts with the process; set start=on-demand,"
                            + " or remove it");
            refuse(
                    "start",
                    isPattern(),
                    "is not possible for a pattern, which stands for many resources; use"
                            + " on-demand");
            return;
        }
        refuse(
                "union",
                resource.union(),
                "is not possible on demand; use start=always, or remove it");
        refuse(
                "etcd",
                resource.etcd() != null,
                "is not possible on demand, because the API server answers the first request; use"
                        + " start=always");
        refuse(
                "sync-timeout",
                resource.syncTimeout() != null,
                "has no effect on demand; use start=always, or remove it");
        refuse(
                "on-sync-timeout",
                resource.onSyncTimeout() != null,
                "has no effect on demand; use start=always, or remove it");
        refuse(
                "field-selector",
                isPattern() && !resource.fieldSelector().isBlank(),
                NOT_ALL_FIELDS);
        refuse("index-fields", isPattern() && !resource.indexFields().isEmpty(), NOT_ALL_FIELDS);
    }

    private void refuse(String property, boolean set, String problemAndRemedy) {
        if (set) {
            throw invalid(property, problemAndRemedy);
        }
    }

    private boolean isPattern() {
        return OnDemandResource.isPattern(resource.resource());
    }

    /** Returns the resource; for a pattern any, so that the rest can be checked. */
    ResourceName name() {
        if (!isPattern()) {
            return read(
                    "resource",
                    resource.resource(),
                    ResourceName::new,
                    "use the plural name as kubectl api-resources shows it");
        }
        refuse(
                "resource",
                !OnDemandResource.isValid(resource.resource()),
                "is not a pattern; use * for all resources, *. for those of the core group, or"
                        + " a group such as *.apps");
        return ANY;
    }

    /** Returns the name of a scope, in which a pattern stands for itself. */
    String name(Scope scope) {
        return isPattern()
                ? scope.toString()
                        .replaceFirst(ANY.text(), Matcher.quoteReplacement(resource.resource()))
                : scope.toString();
    }

    List<MirrorDefinition> definitions(
            ResourceName name, WatchForm watches, ReflectorTimeouts timeouts) {
        StoredFields stored = storedFields();
        ReflectorSettings settings =
                new ReflectorSettings(
                        strategy(watches),
                        how.pageSize(),
                        stored.equals(StoredFields.ALL)
                                ? ObjectTransform.NONE
                                : new RedactingTransform(stored),
                        readAll(
                                "index-fields",
                                resource.indexFields(),
                                text -> indexable(stored, text)),
                        how.resourceVersion(),
                        resyncPeriod(),
                        watches,
                        timeouts);
        ReadPolicy reads = reads(stored);
        Extent extent = extent();
        MirrorMemory.Limits limits = limits();
        SyncLimit syncLimit = syncLimit();
        Scope union = union(name, extent, stored);
        return namespaces().stream()
                .map(namespace -> new Scope(name, selection(namespace, stored), extent))
                .map(
                        scope ->
                                new MirrorDefinition(
                                        scope, settings, reads, limits, window, syncLimit, union,
                                        null))
                .toList();
    }

    private Strategy strategy(WatchForm watches) {
        if (how.strategy() == Strategy.WATCH_LIST && !watches.bookmarks()) {
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
        if (period.isPositive() && period.compareTo(SHORTEST_RESYNC_PERIOD) < 0) {
            throw invalid(
                    "resync-period",
                    resource.resyncPeriod(),
                    "is too short; use 10s or more, or 0 for never");
        }
        return period;
    }

    private SyncLimit syncLimit() {
        if (resource.start() == MirrorStart.ON_DEMAND) {
            return SyncLimit.NONE;
        }
        if (resource.onSyncTimeout() == OnSyncTimeout.EXIT && how.syncTimeout().isZero()) {
            throw invalid("on-sync-timeout", MirrorDefinition.NO_SYNC_TIMEOUT);
        }
        return new SyncLimit(how.syncTimeout(), how.onSyncTimeout());
    }

    /** A server without a permission for all namespaces cannot answer for several at once. */
    private @Nullable Scope union(ResourceName name, Extent extent, StoredFields stored) {
        if (!resource.union()) {
            return null;
        }
        if (resource.namespaces().size() < 2) {
            throw invalid("union", "needs two or more namespaces; list them, or remove union");
        }
        if (how.reads() != ReadMode.CACHE) {
            throw invalid(
                    "union",
                    "cannot be used with reads other than cache, because the API server cannot"
                            + " answer for several namespaces at once; remove one of them");
        }
        return new Scope(name, selection("", stored), extent, true);
    }

    private StoredFields storedFields() {
        refuse(
                "redact-with",
                resource.redactWith() != null && resource.redactFields().isEmpty(),
                "has no effect without redact-fields; set redact-fields, or remove it");
        StoredFields stored =
                new StoredFields(
                        readAll("keep-fields", resource.keepFields(), FieldPath::parse),
                        readAll("drop-fields", resource.dropFields(), ResourceReader::droppable));
        return stored.redacting(
                readAll("redact-fields", resource.redactFields(), text -> redactable(stored, text)),
                or(resource.redactWith(), Redaction.HASH));
    }

    private static FieldPath droppable(String text) {
        FieldPath path = FieldPath.parse(text);
        // Refuses members that every object needs.
        var _ = new StoredFields(List.of(), List.of(path));
        return path;
    }

    private FieldPath redactable(StoredFields stored, String text) {
        FieldPath path = FieldPath.parse(text);
        // Refuses members that every object needs.
        var _ = StoredFields.ALL.redacting(List.of(path), Redaction.FIXED);
        boolean mirrored =
                !resource.metadataOnly() || path.segments().getFirst().equals("metadata");
        if (!mirrored || !stored.isStored(path)) {
            throw new IllegalArgumentException(path + " is not stored");
        }
        return path;
    }

    private static SelectableField indexable(StoredFields stored, String text) {
        SelectableField field = SelectableField.at(text);
        if (field.sources().stream().anyMatch(stored::isRedacted)) {
            throw new IllegalArgumentException(text + " is redacted");
        }
        return field;
    }

    /** The API server answers with whole objects, including what a mirror drops. */
    private ReadPolicy reads(StoredFields stored) {
        String fields = stored.text();
        boolean hides = !fields.isEmpty() || resource.metadataOnly();
        boolean selected =
                !resource.labelSelector().isBlank() || !resource.fieldSelector().isBlank();
        if ((hides || selected) && how.reads() != ReadMode.CACHE) {
            throw invalid(
                    "reads",
                    "the API server would return what keep-fields, drop-fields, redact-fields,"
                            + " metadata-only, and selectors exclude; use"
                            + " cache, or mirror whole objects without selectors");
        }
        boolean onDemand = resource.start() == MirrorStart.ON_DEMAND;
        if (hides) {
            return new ReadPolicy.Partial(how.stalenessBound(), onDemand, fields);
        }
        ReadsAtStart demanded = selected ? ReadsAtStart.WAITING : ReadsAtStart.PROXIED;
        return new ReadPolicy.Whole(
                how.reads(), how.stalenessBound(), onDemand ? demanded : ReadsAtStart.REJECTED);
    }

    private Extent extent() {
        if (resource.metadataOnly() && !resource.indexFields().isEmpty()) {
            throw invalid(
                    "index-fields",
                    "cannot be used with metadata-only; remove it, or set metadata-only=false");
        }
        return resource.metadataOnly() ? Extent.METADATA : Extent.WHOLE;
    }

    private MirrorMemory.Limits limits() {
        if (resource.maxBytes().isNegative()) {
            throw invalid("max-bytes", "is negative; use a size such as 50MB, or 0 for no limit");
        }
        return new MirrorMemory.Limits(resource.maxObjects(), resource.maxBytes().toBytes());
    }

    private List<String> namespaces() {
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

    private Selection selection(String namespace, StoredFields stored) {
        Selection selection =
                new Selection(
                        namespace,
                        read(
                                "label-selector",
                                resource.labelSelector(),
                                LabelSelector::parse,
                                "use the syntax of kubectl get --selector"),
                        read(
                                "field-selector",
                                resource.fieldSelector(),
                                FieldSelector::parse,
                                "use the syntax of kubectl get --field-selector"));
        for (FieldPath redacted : stored.redacted()) {
            refuse(
                    "field-selector",
                    selection.fields().fields().contains(redacted.toString()),
                    "shows values of " + redacted + ", which is redacted; remove one of them");
        }
        return selection;
    }

    private <T> List<T> readAll(String property, List<String> texts, Notation<T> notation) {
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
        } catch (SelectorException | IllegalArgumentException e) {
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
                (own == null ? "kubemirror.defaults" : at) + "." + property,
                null,
                problemAndRemedy);
    }

    /** Parses a value. */
    @FunctionalInterface
    private interface Notation<T> {
        T parse(String text) throws SelectorException;
    }
}
