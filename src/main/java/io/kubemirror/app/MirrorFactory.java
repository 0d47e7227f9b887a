package io.kubemirror.app;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorEnvironment;
import io.kubemirror.source.Source;

/** Creates mirrors, each with its writer and a reflector that has not started. */
final class MirrorFactory {

    private final Sources sources;
    private final MirrorMemory memory;
    private final Function<Source, ReflectorEnvironment> environments;
    private final Optional<MirrorStore> store;
    private final Executor notifier;

    /**
     * Creates a factory.
     *
     * @param environments returns that of a source
     * @param store keeps mirrors beyond the end of the process
     * @param notifier signals the subscriptions of all mirrors
     */
    MirrorFactory(
            Sources sources,
            MirrorMemory memory,
            Function<Source, ReflectorEnvironment> environments,
            Optional<MirrorStore> store,
            Executor notifier) {
        this.sources = sources;
        this.memory = memory;
        this.environments = environments;
        this.store = store;
        this.notifier = notifier;
    }

    /** Creates a mirror. */
    Reflector create(MirrorDefinition definition) {
        return create(definition, _ -> {});
    }

    /** Creates a mirror of a known type. */
    Reflector create(MirrorDefinition definition, ResourceType type, DeclaredFields declared) {
        return create(definition, writer -> writer.identify(type, declared));
    }

    private Reflector create(MirrorDefinition definition, Consumer<MirrorWriter> identify) {
        MirrorWriter writer =
                new MirrorWriter(
                        new Mirror(
                                definition.scope(),
                                definition.window(),
                                definition.reads(),
                                notifier,
                                System::nanoTime),
                        System::nanoTime,
                        memory,
                        definition.limits());
        try {
            identify.accept(writer);
            Reflector reflector = reflector(definition, writer);
            store.ifPresent(one -> reflector.startAfter(restored(one, definition, writer)));
            return reflector;
        } catch (RuntimeException | Error failed) {
            writer.end();
            throw failed;
        }
    }

    private CompletableFuture<Void> restored(
            MirrorStore from, MirrorDefinition definition, MirrorWriter writer) {
        String settings =
                definition.scope().extent()
                        + " "
                        + definition.settings().stored()
                        + " "
                        + definition.settings().indexed();
        Source source = sources.of(definition.scope().resource());
        return from.restore(writer, source.description().identity(), settings);
    }

    private Reflector reflector(MirrorDefinition definition, MirrorWriter writer) {
        Source source = sources.of(definition.scope().resource());
        return new Reflector(source, writer, definition.settings(), environments.apply(source));
    }
}
