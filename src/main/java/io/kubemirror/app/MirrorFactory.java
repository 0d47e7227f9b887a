package io.kubemirror.app;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorUnion;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorEnvironment;
import io.kubemirror.reflector.UnionReflector;
import io.kubemirror.source.Source;
import io.kubemirror.source.Sources;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

import javax.crypto.SecretKey;

/**
 * Creates mirrors and unions of mirrors, each with its writer and a reflector that has not started.
 */
final class MirrorFactory {

    private final Sources sources;
    private final MirrorMemory memory;
    private final ReflectorEnvironment environment;

    /** That of each source, since they return on their own. */
    private final Map<Source, ReflectorEnvironment> environments = new ConcurrentHashMap<>();

    private final Executor notifier;
    private final Optional<MirrorStore> store;
    private final SecretKey secret;

    /**
     * Creates a factory.
     *
     * @param store keeps mirrors beyond the end of the process
     * @param secret outlives the process if mirrors do
     * @param notifier signals the subscriptions of all mirrors
     */
    MirrorFactory(
            Sources sources,
            MirrorMemory memory,
            ReflectorEnvironment environment,
            Optional<MirrorStore> store,
            SecretKey secret,
            Executor notifier) {
        this.store = store;
        this.secret = secret;
        this.sources = sources;
        this.memory = memory;
        this.environment = environment;
        this.notifier = notifier;
    }

    /** A mirror with what keeps it up to date. */
    record Single(MirrorDefinition definition, MirrorWriter writer, Reflector reflector) {

        Mirror mirror() {
            return writer.mirror();
        }

        boolean isOnDemand() {
            return definition.known() != null;
        }
    }

    /**
     * A union of mirrors.
     *
     * @param definition that of its first member
     */
    record Union(MirrorDefinition definition, UnionReflector reflector) {

        Mirror mirror() {
            return reflector.mirror();
        }

        boolean shows(List<Mirror> mirrors) {
            return mirror().members().equals(mirrors);
        }
    }

    /** Creates a mirror. */
    Single create(MirrorDefinition definition) {
        MirrorWriter writer =
                new MirrorWriter(
                        new Mirror(
                                definition.scope(),
                                definition.window(),
                                notifier,
                                System::nanoTime),
                        System::nanoTime,
                        definition.settings().updates(),
                        memory,
                        definition.limits());
        if (definition.known() != null) {
            writer.identify(definition.known().type(), definition.known().declared());
        }
        Reflector reflector = reflector(definition, writer);
        store.ifPresent(one -> reflector.startAfter(restored(one, definition, writer)));
        return new Single(definition, writer, reflector);
    }

    private CompletableFuture<Void> restored(
            MirrorStore from, MirrorDefinition definition, MirrorWriter writer) {
        String settings =
                definition.scope().extent()
                        + " "
                        + definition.settings().transform().keyed(secret).identity()
                        + " "
                        + definition.settings().indexed();
        Source source = sources.of(definition.scope().resource());
        return from.restore(writer, source.description().identity(), settings);
    }

    private Reflector reflector(MirrorDefinition definition, MirrorWriter writer) {
        Source source = sources.of(definition.scope().resource());
        return new Reflector(
                source,
                writer,
                definition
                        .settings()
                        .transformedBy(definition.settings().transform().keyed(secret)),
                environments.computeIfAbsent(source, environment::of));
    }

    /**
     * Creates a union. It accounts for its objects with its members, which have the limits.
     *
     * @param shown the members
     * @param first the definition of the first member
     * @param progress requests that a member soon reaches a revision
     */
    Union unite(
            Scope scope,
            List<Mirror> shown,
            MirrorDefinition first,
            BiConsumer<Mirror, Revision> progress) {
        MirrorWriter writer =
                new MirrorWriter(
                        new Mirror(scope, first.window(), notifier, System::nanoTime, shown),
                        System::nanoTime,
                        first.settings().updates(),
                        memory,
                        MirrorMemory.Limits.NONE);
        MirrorUnion union = new MirrorUnion(writer, progress, System::nanoTime);
        return new Union(
                first, new UnionReflector(union, first.settings().strategy(), Thread::sleep));
    }
}
