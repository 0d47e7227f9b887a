package io.kubemirror.app;

import module java.base;

import io.kubemirror.model.Scope;
import io.kubemirror.reflector.MirrorUpdater;
import io.kubemirror.reflector.ReflectorSettings;

/**
 * Creates mirrors that show others together, as {@link ResourceExtension#derived} says. A feature
 * has a bean of this type.
 */
@FunctionalInterface
public interface DerivedMirrors {

    /**
     * Creates a mirror without content, and what keeps it up to date, which has not started.
     *
     * @param settings those of its first part
     * @param parts what keeps its parts up to date, at least one
     */
    MirrorUpdater create(Scope scope, ReflectorSettings settings, List<MirrorUpdater> parts);
}
