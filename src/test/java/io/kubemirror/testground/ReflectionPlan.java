package io.kubemirror.testground;

import io.kubemirror.kube.KubeApi;
import io.kubemirror.model.Extent;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.Patience;
import io.kubemirror.reflector.ReflectorSettings;
import io.kubemirror.reflector.Strategy;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * What a {@link Reflection} shall mirror and how; every method returns a changed copy.
 *
 * @param type the type
 * @param scope what is configured of it
 * @param settings how to reflect it
 * @param way what stands between the reflector and the adapter to the server
 * @param inRealTime whether its waits last as long as it wants
 */
public record ReflectionPlan(
        ResourceType type,
        Scope scope,
        ReflectorSettings settings,
        UnaryOperator<KubeApi> way,
        boolean inRealTime) {

    /** Longer than anything else is waited for. */
    static final Duration AUDIT_INTERVAL = Duration.ofHours(1);

    private static final Patience PATIENCE =
            new Patience(
                    Duration.ZERO, Duration.ofSeconds(30), Duration.ofSeconds(30), AUDIT_INTERVAL);

    /** The whole collection, by the configuration's default strategy, in pages of two. */
    public static ReflectionPlan of(ResourceType type) {
        return new ReflectionPlan(
                type,
                new Scope(new ResourceName(type.groupResource()), Selection.everything()),
                new ReflectorSettings(Strategy.AUTO, 2, List.of(), List.of(), PATIENCE),
                UnaryOperator.identity(),
                false);
    }

    /** By another strategy. */
    public ReflectionPlan by(Strategy wanted) {
        return with(wanted, settings.pageSize(), settings.dropped());
    }

    /** In larger pages. */
    public ReflectionPlan inPagesOf(int size) {
        return with(settings.strategy(), size, settings.dropped());
    }

    /** Without some members of each object. */
    public ReflectionPlan dropping(String... paths) {
        List<FieldPath> dropped = List.of(paths).stream().map(FieldPath::parse).toList();
        return with(settings.strategy(), settings.pageSize(), dropped);
    }

    private ReflectionPlan with(Strategy strategy, int pageSize, List<FieldPath> dropped) {
        return new ReflectionPlan(
                type,
                scope,
                new ReflectorSettings(strategy, pageSize, dropped, List.of(), settings.patience()),
                way,
                inRealTime);
    }

    /** Bearing no longer pause of a watch-list than this. */
    public ReflectionPlan bearingSilence(Duration limit) {
        Patience patience =
                new Patience(Duration.ZERO, Duration.ofSeconds(30), limit, AUDIT_INTERVAL);
        return new ReflectionPlan(
                type,
                scope,
                new ReflectorSettings(
                        settings.strategy(),
                        settings.pageSize(),
                        settings.dropped(),
                        List.of(),
                        patience),
                way,
                inRealTime);
    }

    /** A part of the collection. */
    public ReflectionPlan only(Selection part) {
        return in(new Scope(scope.resource(), part, scope.extent()));
    }

    /** Under another name, such as {@code widgets.v1.example.com}. */
    public ReflectionPlan named(String configured) {
        return in(new Scope(new ResourceName(configured), scope.selection(), scope.extent()));
    }

    /** Nothing of each object but its metadata. */
    public ReflectionPlan ofMetadata() {
        return in(new Scope(scope.resource(), scope.selection(), Extent.METADATA));
    }

    private ReflectionPlan in(Scope other) {
        return new ReflectionPlan(type, other, settings, way, inRealTime);
    }

    /** With something between the reflector and the adapter to the server. */
    public ReflectionPlan through(UnaryOperator<KubeApi> between) {
        return new ReflectionPlan(type, scope, settings, between, inRealTime);
    }

    /** With waits that last as long as the reflector wants. */
    public ReflectionPlan patiently() {
        return new ReflectionPlan(type, scope, settings, way, true);
    }
}
