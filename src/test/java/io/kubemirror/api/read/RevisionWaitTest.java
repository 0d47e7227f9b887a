package io.kubemirror.api.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchStream.UpstreamWatch;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** A mirror reaches the revisions that the API server has reached (list-watch.md#li-20). */
class RevisionWaitTest {

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final QuietServer server = new QuietServer();
    private final List<Revision> asked = new ArrayList<>();
    private final AtomicLong time = new AtomicLong();

    /** An API server without pods, whose revision advances, and a mirror that learns of it late. */
    private static final class QuietServer implements Source {

        private final AtomicLong time = new AtomicLong();
        private final Mirror mirror =
                new Mirror(
                        ApiFixture.scope("pods", ""),
                        Window.standard(),
                        Runnable::run,
                        () -> time.addAndGet(Duration.ofSeconds(1).toNanos()));
        private final MirrorWriter writer = new MirrorWriter(mirror, () -> 0);
        private final List<ListRequest> requests = new ArrayList<>();
        private int revision = 1;
        private boolean away;

        QuietServer() {
            writer.identify(ApiSamples.PODS);
            writer.resync().complete(ApiSamples.revision(1));
        }

        void tick() {
            revision++;
        }

        void bookmark() {
            writer.bookmark(ApiSamples.revision(revision));
        }

        @Override
        public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
            requests.add(request);
            return away
                    ? Result.failed(new Failure.Unreachable("connection refused", true))
                    : Result.of(new ListMeta(ApiSamples.revision(revision), null, null));
        }

        @Override
        public SourceDescription description() {
            return new SourceDescription("a test", "a test", "kubemirror.upstream");
        }

        @Override
        public Result<TypeLookup> resolve(ResourceName name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Result<UpstreamWatch> watch(WatchRequest request) {
            throw new UnsupportedOperationException();
        }
    }

    private RevisionWait waiting(Duration patience) {
        return new RevisionWait(
                patience,
                new RevisionProbe(server, Runnable::run),
                (_, revision) -> {
                    asked.add(revision);
                    server.bookmark();
                },
                () -> time.addAndGet(Duration.ofMillis(150).toNanos()));
    }

    @Test
    void quiet_mirror_reaches_a_revision_of_the_api_server() throws Exception {
        server.tick();
        server.tick();

        waiting(PATIENCE).await(server.mirror, ApiSamples.revision(3), PATIENCE);

        assertThat(server.mirror.revision()).isEqualTo(ApiSamples.revision(3));
        assertThat(asked).containsExactly(ApiSamples.revision(3));
    }

    @Test
    void watch_from_a_revision_of_the_api_server_begins() throws Exception {
        server.tick();

        assertThat(waiting(PATIENCE).await(server.mirror, ApiSamples.revision(2))).isEmpty();
    }

    @Test
    void revision_that_the_api_server_has_not_reached_is_too_large() {
        server.tick();

        assertThatThrownBy(
                        () ->
                                waiting(PATIENCE)
                                        .await(server.mirror, ApiSamples.revision(3), PATIENCE))
                .isInstanceOfSatisfying(
                        Rejection.class,
                        refusal -> assertThat(refusal.reply().code()).isEqualTo(504));
        assertThat(asked).isEmpty();
    }

    @Test
    void api_server_is_not_asked_where_the_mirror_has_the_revision() throws Exception {
        waiting(PATIENCE).await(server.mirror, ApiSamples.revision(1), PATIENCE);

        assertThat(server.requests).isEmpty();
    }

    @Test
    void api_server_that_is_away_costs_no_more_than_the_wait() {
        server.tick();
        server.away = true;

        assertThatThrownBy(
                        () ->
                                waiting(PATIENCE)
                                        .await(server.mirror, ApiSamples.revision(2), PATIENCE))
                .isInstanceOf(Rejection.class);
        assertThat(server.requests).hasSize(1);
    }

    @Test
    void request_that_has_no_time_does_not_ask_the_api_server() {
        server.tick();

        assertThatThrownBy(
                        () ->
                                waiting(PATIENCE)
                                        .await(
                                                server.mirror,
                                                ApiSamples.revision(2),
                                                Duration.ofMillis(50)))
                .isInstanceOf(Rejection.class);
        assertThat(server.requests).isEmpty();
    }
}
