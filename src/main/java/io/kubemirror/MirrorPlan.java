package io.kubemirror;

import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Scope;
import io.kubemirror.reflector.ReflectorSettings;

/**
 * The configuration of one mirror, of a resource in one namespace or in all.
 *
 * @param scope what it covers; unique among all plans
 * @param settings the settings of the reflector
 * @param reads who answers reads
 * @param limits the maximum size
 */
record MirrorPlan(
        Scope scope, ReflectorSettings settings, ReadPolicy reads, MirrorWriter.Limits limits) {

    /** The name of the plan's bean: {@code plan-pods}. */
    String planName() {
        return "plan-" + scope;
    }

    /** The name of the mirror's bean: {@code mirror-pods} or {@code mirror-pods/kube-system}. */
    String mirrorName() {
        return "mirror-" + scope;
    }

    /** The name of the reflector's bean: {@code reflector-pods}. */
    String reflectorName() {
        return "reflector-" + scope;
    }
}
