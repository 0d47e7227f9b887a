package io.kubemirror.app;

import module java.base;

import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.app.MirrorProperties.ResourceProperties;
import io.kubemirror.app.MirrorProperties.UpstreamProperties;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.Scope;
import io.kubemirror.reflector.ReflectorSettings;
import io.kubemirror.reflector.ReflectorSettings.ReflectorTimeouts;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The configuration of one mirror, of a resource in one namespace or in all: the parsed notations
 * of {@code kubemirror.resources}. Checks what annotations cannot: notations, duplicates, and
 * settings that contradict each other.
 *
 * @param scope what it covers; unique among all definitions
 * @param settings the settings of the reflector
 * @param reads who answers reads
 * @param limits the maximum size
 * @param window the history
 */
public record MirrorDefinition(
        Scope scope,
        ReflectorSettings settings,
        ReadPolicy reads,
        MirrorMemory.Limits limits,
        Window window) {

    /** The period over which several reflectors start, each at a random time within it. */
    private static final Duration START_SPREAD = Duration.ofMillis(500);

    /** How long a watch is retried after internal errors before the collection is listed again. */
    private static final Duration INTERNAL_ERROR_WINDOW = Duration.ofSeconds(30);

    /** The maximum pause within the initial events of a watch-list. */
    private static final Duration INITIAL_SILENCE = Duration.ofSeconds(30);

    /** The minimum time between the starts of two lists of a collection. */
    private static final Duration MIN_RESYNC_INTERVAL = Duration.ofMillis(500);

    /** How often a collection is listed that the API server does not let kubemirror watch. */
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(5);

    /** How often a resource is looked up that the API server does not have. */
    private static final Duration MISSING_RETRY = Duration.ofSeconds(30);

    /**
     * Returns the definition of a mirror that is created while the process runs: it starts at once,
     * and gives up when the server does not have its type.
     */
    public MirrorDefinition deferred() {
        return new MirrorDefinition(scope, settings.startedAtOnce(), reads, limits, window);
    }

    /** Reads the mirrors that start with the process, in the order of the configuration. */
    public static List<MirrorDefinition> all(MirrorProperties properties) {
        List<MirrorDefinition> all = new ArrayList<>();
        Map<String, String> taken = new HashMap<>();
        for (ConfiguredResource reader : ConfiguredResource.all(properties)) {
            List<MirrorDefinition> definitions = reader.definitions(reader.name());
            take(reader, definitions, taken);
            if (!reader.isOnDemand()) {
                all.addAll(definitions);
            }
        }
        return all;
    }

    /** Refuses two mirrors of one scope. */
    private static void take(
            ConfiguredResource reader,
            List<MirrorDefinition> definitions,
            Map<String, String> taken) {
        for (MirrorDefinition definition : definitions) {
            String scope = reader.name(definition.scope());
            String first = taken.putIfAbsent(scope, reader.at());
            if (first != null) {
                throw new InvalidConfigurationPropertyValueException(
                        reader.at(),
                        scope,
                        ("%s is mirrored by %s already; remove one of them, or use different"
                                        + " namespaces or selectors")
                                .formatted(scope, first));
            }
        }
    }

    /** A single reflector starts immediately. */
    static ReflectorTimeouts timeouts(MirrorProperties properties) {
        UpstreamProperties upstream = properties.upstream();
        List<ResourceProperties> resources = properties.resources();
        boolean alone = resources.size() == 1 && resources.getFirst().namespaces().size() <= 1;
        return new ReflectorTimeouts(
                alone ? Duration.ZERO : START_SPREAD,
                INTERNAL_ERROR_WINDOW,
                INITIAL_SILENCE,
                upstream.auditInterval(),
                MIN_RESYNC_INTERVAL,
                POLL_INTERVAL,
                MISSING_RETRY,
                upstream.retry().settings());
    }
}
