package io.kubemirror;

import io.kubemirror.api.read.ReadMode;
import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionLimits;
import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.Extent;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.ObjectShape;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableField;
import io.kubemirror.model.Selection;
import io.kubemirror.model.SelectorException;
import io.kubemirror.reflector.ReflectorSettings;
import io.kubemirror.reflector.ReflectorSettings.ReflectorTimeouts;
import io.kubemirror.upstream.kube.ClientSettings;

import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Parses the text values of the configuration and checks what annotations cannot: notations,
 * duplicates, and limits that contradict each other. Throws {@link ConfigurationErrorException}
 * with the name of the invalid property.
 */
final class PlanReader {

    private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

    /**
     * Minimum interval of audits. An audit is a list, and no resource is listed more often
     * (list-watch.md#bo-4).
     */
    private static final Duration SHORTEST_AUDIT_INTERVAL = Duration.ofSeconds(1);

    /** Minimum size limit of objects. Less would refuse ordinary objects. */
    private static final long SMALLEST_OBJECT_LIMIT = 64L << 10;

    private PlanReader() {}

    /** The mirrors in the order of the configuration. */
    static List<MirrorPlan> plans(MirrorProperties properties) {
        ReflectorTimeouts timeouts = reflectorTimeouts(properties);
        List<MirrorPlan> plans = new ArrayList<>();
        Map<String, String> taken = new HashMap<>();
        for (int i = 0; i < properties.resources().size(); i++) {
            String at = "kubemirror.resources[" + i + "]";
            checkSecrets(at, properties.resources().get(i), properties.allowSecrets());
            for (MirrorPlan plan : plans(at, properties.resources().get(i), timeouts)) {
                String first = taken.putIfAbsent(plan.scope().toString(), at);
                if (first != null) {
                    throw duplicate(at, plan.scope(), first);
                }
                plans.add(plan);
            }
        }
        return List.copyOf(plans);
    }

    /** Applies to metadata as well, because annotations may repeat the content of a Secret. */
    private static void checkSecrets(
            String at, MirrorProperties.ResourceProperties resource, boolean allowed) {
        String name = resource.resource();
        boolean core = name.equals("secrets") || name.matches("secrets\\.(.*\\.)?");
        if (core && !allowed) {
            throw new ConfigurationErrorException(
                    at + ".resource",
                    "secrets would be told to everybody who may read kubemirror",
                    "remove it, or set kubemirror.allow-secrets=true if that is what you want");
        }
    }

    /** A single reflector starts immediately. */
    private static ReflectorTimeouts reflectorTimeouts(MirrorProperties properties) {
        MirrorProperties.UpstreamProperties upstream = properties.upstream();
        boolean alone =
                properties.resources().size() == 1
                        && properties.resources().getFirst().namespaces().size() <= 1;
        return new ReflectorTimeouts(
                alone ? Duration.ZERO : upstream.startSpread(),
                upstream.internalErrorWindow(),
                upstream.initialSilence(),
                auditInterval(upstream));
    }

    /** The limits of each mirror's history. */
    static Window window(MirrorProperties.HistoryProperties history) {
        if (history.maxEvents() < history.minEvents()) {
            throw new ConfigurationErrorException(
                    "kubemirror.history.max-events",
                    history.maxEvents() + " is below min-events",
                    "use " + history.minEvents() + " or more");
        }
        if (history.maxBytes().toBytes() < 1) {
            throw new ConfigurationErrorException(
                    "kubemirror.history.max-bytes", "is too small", "use a size such as 64MB");
        }
        return new Window(
                history.minEvents(),
                history.maxEvents(),
                history.span(),
                history.maxBytes().toBytes());
    }

    /**
     * The memory budget of the process.
     *
     * @param heap the maximum heap size, in bytes
     */
    static MemoryPlan memory(MirrorProperties.Memory memory, long heap) {
        long limit = memory.limit() == null ? MemoryPlan.limit(heap) : memory.limit().toBytes();
        if (limit > heap) {
            throw new ConfigurationErrorException(
                    "kubemirror.memory.limit",
                    megabytes(limit) + " MB is more than the heap of " + megabytes(heap) + " MB",
                    "use " + megabytes(MemoryPlan.limit(heap)) + "MB or less, or raise -Xmx");
        }
        if (limit < MemoryPlan.SMALLEST) {
            throw new ConfigurationErrorException(
                    "kubemirror.memory.limit",
                    megabytes(limit) + " MB is too small",
                    "use " + megabytes(MemoryPlan.SMALLEST) + "MB or more, or raise -Xmx");
        }
        long clients =
                memory.clients() == null ? MemoryPlan.clients(limit) : memory.clients().toBytes();
        if (clients < MemoryPlan.SMALLEST_PART || clients > limit - MemoryPlan.SMALLEST_PART) {
            throw new ConfigurationErrorException(
                    "kubemirror.memory.clients",
                    megabytes(clients) + " MB leaves too little for clients or for mirrors",
                    "use 1MB or more, and at least 1MB less than the limit of "
                            + megabytes(limit)
                            + " MB");
        }
        return new MemoryPlan(limit, clients);
    }

    /**
     * The settings of the client for the API server.
     *
     * @param incoming the budget for data on its way to the mirrors
     */
    static ClientSettings client(
            MirrorProperties.UpstreamProperties upstream,
            String version,
            MemoryPlan plan,
            MemoryBudget incoming) {
        ClientSettings defaults = ClientSettings.defaults(version);
        DataSize configured = upstream.maxObjectBytes();
        long limit = configured == null ? plan.largestObject() : configured.toBytes();
        if (limit < SMALLEST_OBJECT_LIMIT || limit > plan.mirrors() / 2) {
            throw new ConfigurationErrorException(
                    "kubemirror.upstream.max-object-bytes",
                    "is too small, or more than half of the "
                            + megabytes(plan.mirrors())
                            + " MB for mirrors",
                    "use 64KB or more, and at most " + megabytes(plan.mirrors() / 2) + "MB");
        }
        return new ClientSettings(
                version, defaults.readTimeout(), Math.toIntExact(limit), incoming);
    }

    private static long megabytes(long bytes) {
        return bytes >> 20;
    }

    private static Duration auditInterval(MirrorProperties.UpstreamProperties upstream) {
        Duration interval = upstream.auditInterval();
        if (!interval.isZero() && interval.compareTo(SHORTEST_AUDIT_INTERVAL) < 0) {
            throw new ConfigurationErrorException(
                    "kubemirror.upstream.audit-interval",
                    "is too short",
                    "use " + SHORTEST_AUDIT_INTERVAL.toSeconds() + "s or more, or 0 for never");
        }
        return interval;
    }

    /** The connection limits. */
    static ConnectionLimits connections(MirrorProperties.ConnectionProperties connections) {
        if (connections.max() > 0 && connections.maxPerClient() > connections.max()) {
            throw new ConfigurationErrorException(
                    "kubemirror.connections.max-per-client",
                    connections.maxPerClient() + " is above max",
                    "use " + connections.max() + " or less, or 0 for no limit");
        }
        return new ConnectionLimits(
                connections.max(),
                connections.maxPerClient(),
                connections.managementMax(),
                connections.requestTimeout());
    }

    private static ConfigurationErrorException duplicate(String at, Scope scope, String first) {
        return new ConfigurationErrorException(
                at,
                scope + " is mirrored by " + first + " already",
                "remove one of them, or make their namespaces or selectors differ");
    }

    private static List<MirrorPlan> plans(
            String at, MirrorProperties.ResourceProperties resource, ReflectorTimeouts timeouts) {
        ResourceName name =
                read(
                        at + ".resource",
                        resource.resource(),
                        ResourceName::new,
                        "write the plural as kubectl api-resources shows it");
        ReflectorSettings settings = settings(at, resource, timeouts);
        ReadPolicy reads = reads(at, resource);
        Extent extent = extent(at, resource);
        MirrorWriter.Limits limits = limits(at, resource);
        return namespaces(at, resource.namespaces()).stream()
                .map(namespace -> selection(at, resource, namespace))
                .map(
                        selection ->
                                new MirrorPlan(
                                        new Scope(name, selection, extent),
                                        settings,
                                        reads,
                                        limits))
                .toList();
    }

    private static MirrorWriter.Limits limits(
            String at, MirrorProperties.ResourceProperties resource) {
        if (resource.maxBytes().isNegative()) {
            throw new ConfigurationErrorException(
                    at + ".max-bytes", "is negative", "use 0 for no limit or a size such as 50MB");
        }
        return new MirrorWriter.Limits(resource.maxObjects(), resource.maxBytes().toBytes());
    }

    private static Extent extent(String at, MirrorProperties.ResourceProperties resource) {
        if (!resource.metadataOnly()) {
            return Extent.WHOLE;
        }
        if (!resource.indexFields().isEmpty()) {
            throw new ConfigurationErrorException(
                    at + ".index-fields",
                    "there are no such fields in metadata",
                    "remove it, or set metadata-only=false");
        }
        return Extent.METADATA;
    }

    private static List<String> namespaces(String at, List<String> namespaces) {
        for (int i = 0; i < namespaces.size(); i++) {
            String namespace = namespaces.get(i);
            String property = at + ".namespaces[" + i + "]";
            if (!NAMESPACE.matcher(namespace).matches()) {
                throw new ConfigurationErrorException(
                        property,
                        "'" + namespace + "' is not the name of a namespace",
                        "correct it, or leave namespaces out to mirror all of them");
            }
            if (namespaces.indexOf(namespace) < i) {
                throw new ConfigurationErrorException(
                        property, "'" + namespace + "' is there already", "remove it");
            }
        }
        return namespaces.isEmpty() ? List.of("") : namespaces;
    }

    private static Selection selection(
            String at, MirrorProperties.ResourceProperties resource, String namespace) {
        return new Selection(
                namespace,
                read(
                        at + ".label-selector",
                        resource.labelSelector(),
                        LabelSelector::parse,
                        "write it as for kubectl get --selector"),
                read(
                        at + ".field-selector",
                        resource.fieldSelector(),
                        FieldSelector::parse,
                        "write it as for kubectl get --field-selector"));
    }

    private static ReflectorSettings settings(
            String at, MirrorProperties.ResourceProperties resource, ReflectorTimeouts timeouts) {
        return new ReflectorSettings(
                resource.strategy(),
                resource.pageSize(),
                readAll(at + ".drop-fields", resource.dropFields(), PlanReader::dispensable),
                readAll(at + ".index-fields", resource.indexFields(), SelectableField::at),
                timeouts);
    }

    private static ReadPolicy reads(String at, MirrorProperties.ResourceProperties resource) {
        checkWhole(at, resource);
        return new ReadPolicy(resource.reads(), resource.stalenessBound());
    }

    /** The API server answers with whole objects, including what a mirror drops. */
    private static void checkWhole(String at, MirrorProperties.ResourceProperties resource) {
        boolean partial =
                !resource.dropFields().isEmpty()
                        || !resource.labelSelector().isBlank()
                        || !resource.fieldSelector().isBlank();
        if (partial && resource.reads() != ReadMode.CACHE) {
            throw new ConfigurationErrorException(
                    at + ".reads",
                    "the API server would answer with what drop-fields and selectors leave out",
                    "use cache, or mirror whole objects without selectors");
        }
    }

    private static FieldPath dispensable(String text) {
        FieldPath path = FieldPath.parse(text);
        // Refuses members that every object needs.
        var _ = new ObjectShape(List.of(), List.of(path));
        return path;
    }

    private static <T> List<T> readAll(String property, List<String> texts, Notation<T> notation) {
        return IntStream.range(0, texts.size())
                .mapToObj(
                        i ->
                                read(
                                        property + "[" + i + "]",
                                        texts.get(i),
                                        notation,
                                        "name another field or remove it"))
                .toList();
    }

    private static <T> T read(String property, String text, Notation<T> notation, String remedy) {
        try {
            return notation.read(text);
        } catch (SelectorException | IllegalArgumentException e) {
            throw new ConfigurationErrorException(property, problem(e), remedy);
        }
    }

    private static String problem(Exception failure) {
        @Nullable String message = failure.getMessage();
        return message == null ? "cannot be read" : message;
    }

    /** Formats a value as text. */
    @FunctionalInterface
    private interface Notation<T> {
        T read(String text) throws SelectorException;
    }
}
