package io.kubemirror.testground;

import io.kubemirror.kube.KubeApi;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.Strategy;

import java.util.function.UnaryOperator;

/**
 * What a {@link Reflection} shall mirror and how; every method returns a changed copy.
 *
 * @param type the type
 * @param name the name that is configured for it
 * @param selection which part of the collection
 * @param strategy how to get the present state
 * @param pageSize the number of objects in a page of a list
 * @param way what stands between the reflector and the adapter to the server
 * @param inRealTime whether its waits last as long as it wants
 */
public record ReflectionPlan(
        ResourceType type,
        ResourceName name,
        Selection selection,
        Strategy strategy,
        int pageSize,
        UnaryOperator<KubeApi> way,
        boolean inRealTime) {

    /** The whole collection, by the configuration's default strategy, in pages of two. */
    public static ReflectionPlan of(ResourceType type) {
        return new ReflectionPlan(
                type,
                new ResourceName(type.groupResource()),
                Selection.everything(),
                Strategy.AUTO,
                2,
                UnaryOperator.identity(),
                false);
    }

    /** By another strategy. */
    public ReflectionPlan by(Strategy wanted) {
        return new ReflectionPlan(type, name, selection, wanted, pageSize, way, inRealTime);
    }

    /** A part of the collection. */
    public ReflectionPlan only(Selection part) {
        return new ReflectionPlan(type, name, part, strategy, pageSize, way, inRealTime);
    }

    /** Under another name, such as {@code widgets.v1.example.com}. */
    public ReflectionPlan named(String configured) {
        return new ReflectionPlan(
                type, new ResourceName(configured), selection, strategy, pageSize, way, inRealTime);
    }

    /** In larger pages. */
    public ReflectionPlan inPagesOf(int size) {
        return new ReflectionPlan(type, name, selection, strategy, size, way, inRealTime);
    }

    /** With something between the reflector and the adapter to the server. */
    public ReflectionPlan through(UnaryOperator<KubeApi> between) {
        return new ReflectionPlan(type, name, selection, strategy, pageSize, between, inRealTime);
    }

    /** With waits that last as long as the reflector wants. */
    public ReflectionPlan patiently() {
        return new ReflectionPlan(type, name, selection, strategy, pageSize, way, true);
    }
}
