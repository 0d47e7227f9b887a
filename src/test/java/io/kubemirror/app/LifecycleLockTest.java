package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchStream;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.ReflectorEnvironments;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.scripted.ServedTypes;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Threads that change the mirrors keep no other from doing so while they wait for a third one. */
class LifecycleLockTest {

    /** Mirrors are being filled until then, and their reflectors do not end. */
    private final CompletableFuture<@Nullable Void> filled = new CompletableFuture<>();

    private volatile CompletableFuture<@Nullable Void> restored = filled;
    private final MemoryBudget memory = MemoryBudget.unlimited();

    private final MirrorLifecycle lifecycle =
            new MirrorLifecycle(
                    definitions("a,b"),
                    new Sources(List.of(new SilentSource())),
                    new MirrorMemory(memory),
                    ReflectorEnvironments.alone(
                            InstantSource.system(), new Random(1), Thread::sleep),
                    Runnable::run);

    LifecycleLockTest() {
        lifecycle.mirrors().listen(new SlowStore());
    }

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
                                namespaces)));
    }

    /** A request may begin a mirror on demand meanwhile, and another mirror may need memory. */
    @ParameterizedTest
    @CsvSource({"false, 2", "true, 3"})
    void change_that_waits_for_the_end_of_a_mirror_keeps_no_other_thread_from_the_lifecycle(
            boolean ends, int mirrors) throws Exception {
        lifecycle.start();
        List<Mirror> added = begin();
        Thread changing =
                Thread.ofPlatform().start(ends ? lifecycle::stop : () -> lifecycle.remove(added));
        WaitLimit.until(
                () ->
                        changing.getState() == Thread.State.WAITING
                                || changing.getState() == Thread.State.TIMED_WAITING);

        lifecycle.begin(List.of());
        filled.complete(null);
        changing.join();

        assertThat(lifecycle.mirrors().all()).hasSize(mirrors);
    }

    /** Starts a mirror that the configuration does not name. */
    private List<Mirror> begin() {
        List<Mirror> added =
                lifecycle.add(definitions("c"), ServedTypes.CONFIGMAPS, DeclaredFields.NONE);
        lifecycle.begin(added);
        return added;
    }

    @Test
    void mirror_follows_although_the_reflector_of_the_one_before_it_is_busy() {
        lifecycle.start();
        lifecycle.remove(begin());
        restored = CompletableFuture.completedFuture(null);

        Mirror next = begin().getFirst();

        // It has asked the server, which has no answer.
        WaitLimit.until(() -> !next.upstream().problem().isEmpty());
    }

    /** Each further try would add to them. */
    @Test
    void mirrors_leave_nothing_in_memory_if_one_created_with_them_fails() {
        filled.complete(null);
        long before = memory.used();
        List<MirrorDefinition> group = new ArrayList<>(definitions("c"));
        group.addAll(
                MirrorDefinition.all(
                        BoundProperties.of(Map.of("kubemirror.resources[0].resource", "broken"))));

        assertThatThrownBy(() -> lifecycle.add(group, ServedTypes.CONFIGMAPS, DeclaredFields.NONE))
                .isInstanceOf(IllegalStateException.class);

        assertThat(memory.used()).isEqualTo(before).isPositive();
        assertThat(lifecycle.mirrors().all()).hasSize(2);
    }

    /** A disk that has not answered yet. */
    private final class SlowStore implements MirrorSet.Listener {

        @Override
        public void added(Mirror mirror) {
            lifecycle.fill(
                    mirror,
                    (writer, _) -> {
                        Mirrors.list(writer, 3, KubeObjects.object("a/x", 2));
                        return restored;
                    });
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
        public boolean holds(ResourceName name) {
            if (name.plural().equals("broken")) {
                throw new IllegalStateException("a defect");
            }
            return true;
        }

        @Override
        public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
            return Result.failed(SILENT);
        }

        @Override
        public Result<WatchStream> watch(WatchRequest request) {
            return Result.failed(SILENT);
        }
    }
}
