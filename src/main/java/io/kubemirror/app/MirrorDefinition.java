package io.kubemirror.app;

import static io.kubemirror.app.MirrorProperties.refuse;

import module java.base;

import io.kubemirror.app.MirrorProperties.UpstreamProperties;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.ReadPolicy;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.Scope;
import io.kubemirror.reflector.ReflectorSettings;
import io.kubemirror.reflector.ReflectorSettings.ReflectorTimeouts;

/**
 * The configuration of one mirror, of a resource in one namespace or in all: the parsed notations
 * of {@code kubemirror.resources}.
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

    /** How often a resource is looked up that the API server does not have. */
    private static final Duration MISSING_RETRY = Duration.ofSeconds(30);

    /** Returns what determines the content of the mirror, beside its scope. */
    String stored() {
        return "%s %s %s".formatted(scope.extent(), settings.stored(), settings.indexed());
    }

    /** Returns the mirrors that start with the process, in the order of the configuration. */
    public static List<MirrorDefinition> all(MirrorProperties properties) {
        List<MirrorDefinition> all =
                properties.resources().stream()
                        .filter(one -> !one.isOnDemand())
                        .flatMap(one -> one.definitions(one.name(), properties).stream())
                        .toList();
        Set<String> scopes = new HashSet<>();
        for (MirrorDefinition one : all) {
            refuse(
                    !scopes.add(one.scope().toString()),
                    "kubemirror.resources",
                    one.scope()
                            + " is mirrored twice; remove one of them, or use different"
                            + " namespaces or selectors");
        }
        return all;
    }

    /** A single reflector starts immediately. */
    static ReflectorTimeouts timeouts(MirrorProperties properties, boolean onDemand) {
        UpstreamProperties upstream = properties.upstream();
        List<ResourceProperties> resources = properties.resources();
        boolean alone = resources.size() == 1 && resources.getFirst().namespaces().size() <= 1;
        return new ReflectorTimeouts(
                alone || onDemand ? Duration.ZERO : START_SPREAD,
                upstream.auditInterval(),
                onDemand ? Duration.ZERO : MISSING_RETRY,
                upstream.retry().settings());
    }
}
