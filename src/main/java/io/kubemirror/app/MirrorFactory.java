package io.kubemirror.app;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorWriter;
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

    /**
     * Creates a mirror.
     *
     * @param identify tells the writer the type, if it is known
     */
    Reflector create(MirrorDefinition definition, Consumer<MirrorWriter> identify) {
        MirrorWriter writer = writer(definition);
        try {
            identify.accept(writer);
            Source source = sources.of(definition.scope().resource());
            Reflector reflector =
                    new Reflector(
                            source, writer, definition.settings(), environments.apply(source));
            String server = source.description().identity();
            store.map(one -> one.restore(writer, server, definition.stored()))
                    .ifPresent(reflector::startAfter);
            return reflector;
        } catch (RuntimeException | Error failed) {
            writer.end();
            throw failed;
        }
    }

    private MirrorWriter writer(MirrorDefinition of) {
        Mirror mirror = new Mirror(of.scope(), of.window(), of.reads(), notifier, System::nanoTime);
        return new MirrorWriter(mirror, System::nanoTime, memory, of.limits());
    }
}
