package io.kubemirror.api.read;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.FakeForwardingApi;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.UpstreamInterceptor;

import org.junit.jupiter.api.Test;

/** Tests which callers share a request, with requests that run when the test says so. */
class RevisionProbeTest {

    private final FakeForwardingApi server = new FakeForwardingApi();
    private final Mirror mirror = Mirrors.pods();
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    /** Done while the server answers. */
    private Runnable meanwhile = () -> {};

    private final Source slow =
            new UpstreamInterceptor(server, _ -> meanwhile.run(), UnaryOperator.identity());

    private CompletableFuture<Result<ListMeta>> join(RevisionProbe probe) {
        return probe.join(mirror, ApiSamples.PODS);
    }

    private static void assertRevision(CompletableFuture<Result<ListMeta>> of, long revision) {
        assertThat(of)
                .isCompletedWithValueMatching(
                        one ->
                                one instanceof Result.Success(var list)
                                        && list.revision().equals(KubeObjects.revision(revision)));
    }

    @Test
    void callers_share_the_next_request_not_the_running_one() {
        RevisionProbe probe = new RevisionProbe(slow, tasks::add);
        server.isAt(1);
        List<CompletableFuture<Result<ListMeta>>> early = List.of(join(probe), join(probe));
        List<CompletableFuture<Result<ListMeta>>> late = new ArrayList<>();
        meanwhile = () -> late.addAll(List.of(join(probe), join(probe)));
        assertThat(tasks).hasSize(1);

        tasks.remove().run();

        early.forEach(one -> assertRevision(one, 1));
        assertThat(late).noneMatch(CompletableFuture::isDone);
        server.isAt(2);
        meanwhile = () -> {};
        tasks.remove().run();
        late.forEach(one -> assertRevision(one, 2));
        assertThat(tasks).isEmpty();
    }

    @Test
    void request_whose_thread_cannot_start_fails_and_the_next_one_does_not() {
        Queue<Executor> threads =
                new ArrayDeque<>(
                        List.of(
                                _ -> {
                                    throw new OutOfMemoryError("unable to create native thread");
                                },
                                tasks::add,
                                _ -> {
                                    throw new IllegalStateException("no thread");
                                },
                                Runnable::run));
        RevisionProbe probe = new RevisionProbe(slow, task -> threads.remove().execute(task));
        server.isAt(1);
        List<CompletableFuture<Result<ListMeta>>> waiting = new ArrayList<>();
        assertThat(join(probe)).isCompletedExceptionally();
        CompletableFuture<Result<ListMeta>> running = join(probe);
        meanwhile = () -> waiting.add(join(probe));

        tasks.remove().run();

        assertRevision(running, 1);
        assertThat(waiting.getFirst()).isCompletedExceptionally();
        meanwhile = () -> {};
        assertRevision(join(probe), 1);
    }

    @Test
    void failed_request_does_not_block_the_next_one() {
        RevisionProbe probe = new RevisionProbe(slow, Runnable::run);
        server.isAt(1);
        meanwhile =
                () -> {
                    throw new IllegalArgumentException("as planned");
                };
        assertThat(join(probe)).isCompletedExceptionally();

        meanwhile = () -> {};
        assertRevision(join(probe), 1);
    }
}
