package io.kubemirror.feature.union;

import module java.base;

import io.kubemirror.app.DerivedMirrors;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Scope;
import io.kubemirror.reflector.MirrorUpdater;
import io.kubemirror.reflector.ReflectorSettings;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Shows several mirrors of a resource together. */
@Configuration(proxyBeanMethods = false)
class UnionConfiguration {

    /** A union accounts for its objects with its members, which have the limits. */
    @Bean
    DerivedMirrors unions(MirrorMemory memory) {
        return (scope, settings, parts) -> union(scope, settings, parts, memory);
    }

    private static MirrorUpdater union(
            Scope scope,
            ReflectorSettings settings,
            List<MirrorUpdater> parts,
            MirrorMemory memory) {
        Mirror mirror = new UnionMirror(scope, parts.stream().map(MirrorUpdater::mirror).toList());
        MirrorUnion union =
                new MirrorUnion(
                        new MirrorWriter(
                                mirror,
                                System::nanoTime,
                                settings.updates(),
                                memory,
                                MirrorMemory.Limits.NONE),
                        (member, revision) ->
                                parts.stream()
                                        .filter(part -> part.mirror().equals(member))
                                        .forEach(part -> part.requestProgress(revision)),
                        System::nanoTime);
        return new UnionReflector(union, settings.strategy(), Thread::sleep);
    }
}
