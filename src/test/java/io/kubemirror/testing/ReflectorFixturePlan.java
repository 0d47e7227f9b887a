package io.kubemirror.testing;

import module java.base;

import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorSettings;
import io.kubemirror.reflector.ReflectorSettings.ReflectorTimeouts;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.source.Source;
import io.kubemirror.source.StoredFields;

/**
 * The settings of a {@link ReflectorFixture}. Every method returns a changed copy.
 *
 * @param type the type
 * @param scope the configured scope
 * @param settings the settings of the reflector
 * @param way decorates the adapter
 * @param inRealTime whether waits take real time
 */
public record ReflectorFixturePlan(
        ResourceType type,
        Scope scope,
        ReflectorSettings settings,
        UnaryOperator<Source> way,
        boolean inRealTime) {

    /** Longer than any other wait. */
    static final Duration AUDIT_INTERVAL = Duration.ofHours(1);

    private static final ReflectorTimeouts PATIENCE =
            ReflectorEnvironments.timeouts(Duration.ZERO, AUDIT_INTERVAL);

    /** The whole collection, by the configuration's default strategy, in pages of two. */
    public static ReflectorFixturePlan of(ResourceType type) {
        return new ReflectorFixturePlan(
                type,
                new Scope(new ResourceName(type.groupResource()), Selection.everything()),
                ReflectorEnvironments.settings(
                        Strategy.AUTO, 2, StoredFields.ALL, List.of(), PATIENCE),
                UnaryOperator.identity(),
                false);
    }

    /** By another strategy. */
    public ReflectorFixturePlan by(Strategy wanted) {
        return with(wanted, settings.pageSize());
    }

    /** In larger pages. */
    public ReflectorFixturePlan inPagesOf(int size) {
        return with(settings.strategy(), size);
    }

    private ReflectorFixturePlan with(Strategy strategy, int pageSize) {
        return new ReflectorFixturePlan(
                type,
                scope,
                ReflectorEnvironments.settings(
                        strategy, pageSize, StoredFields.ALL, List.of(), settings.timeouts()),
                way,
                inRealTime);
    }

    /** A part of the collection. */
    public ReflectorFixturePlan only(Selection part) {
        return in(new Scope(scope.resource(), part, scope.extent()));
    }

    /** Under another name, such as {@code widgets.v1.example.com}. */
    public ReflectorFixturePlan named(String configured) {
        return in(new Scope(new ResourceName(configured), scope.selection(), scope.extent()));
    }

    /** With the metadata of objects only. */
    public ReflectorFixturePlan ofMetadata() {
        return in(new Scope(scope.resource(), scope.selection(), Extent.METADATA));
    }

    private ReflectorFixturePlan in(Scope other) {
        return new ReflectorFixturePlan(type, other, settings, way, inRealTime);
    }

    /** With a decorator between the reflector and the adapter. */
    public ReflectorFixturePlan through(UnaryOperator<Source> between) {
        return new ReflectorFixturePlan(type, scope, settings, between, inRealTime);
    }

    /** With waits in real time. */
    public ReflectorFixturePlan patiently() {
        return new ReflectorFixturePlan(type, scope, settings, way, true);
    }
}
