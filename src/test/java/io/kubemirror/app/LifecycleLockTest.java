package io.kubemirror.app;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Resync;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ListMeta;
import io.kubemirror.source.ListRequest;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Sources;
import io.kubemirror.source.WatchConnection;
import io.kubemirror.source.WatchRequest;
import io.kubemirror.testing.ReflectorEnvironments;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** Threads that change the mirrors keep no other from doing so while they wait for a third one. */
@Timeout(300)
class LifecycleLockTest {

    private static final String UNION = "configmaps/*";

    /** Mirrors are being filled until the test ends, so that no reflector writes them. */
    private final CompletableFuture<Void> filled = new CompletableFuture<>();

    private final Map<String, MirrorWriter> writers = new ConcurrentHashMap<>();
    private final MirrorLifecycle lifecycle = new MirrorLifecycle(definitions("a,b,c"), factory());

    @AfterEach
    void stop() {
        filled.complete(null);
        lifecycle.stop();
    }

    private static List<MirrorDefinition> definitions(String namespaces) {
        return MirrorDefinition.all(
                BoundProperties.of(
                        Map.of(
                                "kubemirror.resources[0].resource",
                                "configmaps",
                                "kubemirror.resources[0].namespaces",
                                namespaces,
                                "kubemirror.resources[0].union",
                                "true")));
    }

    private MirrorFactory factory() {
        return new MirrorFactory(
                new Sources(List.of(), SilentSource::new),
                MirrorMemory.unlimited(),
                ReflectorEnvironments.alone(InstantSource.system(), new Random(1), Thread::sleep),
                Optional.of(new SlowStore()),
                new RedactionKey(Optional.empty()),
                Runnable::run);
    }

    private void fill(String mirror) {
        MirrorWriter writer = writers.get(mirror);
        writer.identify(ServedTypes.CONFIGMAPS);
        Resync list = writer.resync();
        list.add(object("a/x", 5));
        list.complete(new Revision("7"));
    }

    /** A request may begin a mirror on demand meanwhile, and another mirror may need memory. */
    @Test
    void union_that_waits_for_its_content_keeps_no_other_thread_from_the_lifecycle()
            throws Exception {
        Queue<Boolean> unions = new ConcurrentLinkedQueue<>();
        lifecycle.start();
        lifecycle
                .mirrors()
                .listen(
                        new MirrorSet.Listener() {
                            @Override
                            public void added(Mirror mirror) {
                                if (mirror.scope().toString().equals(UNION)) {
                                    unions.add(mirror.snapshot().isPresent());
                                }
                            }
                        });
        Thread changing = Thread.ofPlatform().start(() -> lifecycle.configure(definitions("a,b")));
        WaitLimit.until(() -> changing.getState() == Thread.State.TIMED_WAITING);

        lifecycle.begin(List.of());
        fill("configmaps/a");
        fill("configmaps/b");
        filled.complete(null);
        changing.join();

        assertThat(unions)
                .as("the union of the beginning, and that in its place, which has content")
                .containsExactly(false, true);
    }

    /** A disk that has not answered yet. */
    private final class SlowStore implements MirrorStore {

        @Override
        public CompletableFuture<Void> restore(
                MirrorWriter writer, String server, String settings) {
            writers.put(writer.mirror().scope().toString(), writer);
            return filled;
        }

        @Override
        public Optional<byte[]> secret() {
            return Optional.empty();
        }
    }

    /** A server that does not answer. */
    private static final class SilentSource implements Source {

        private static final Failure SILENT = new Failure.Malformed("as scripted");

        @Override
        public SourceDescription description() {
            return new SourceDescription("silent", "silent", "kubemirror.upstream.server");
        }

        @Override
        public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
            return Result.failed(SILENT);
        }

        @Override
        public Result<WatchConnection> watch(WatchRequest request) {
            return Result.failed(SILENT);
        }
    }
}
