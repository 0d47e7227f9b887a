package io.kubemirror.api.read;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.FakeForwardingApi;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.MirrorSets;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;

/** A mirror reaches the revisions that the API server has reached (list-watch.md#li-20). */
class FloorsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    /** Has no pods, and its revision advances; the mirror learns of it late. */
    private final FakeForwardingApi server = new FakeForwardingApi();

    private final List<Revision> asked = new ArrayList<>();
    private final AtomicLong time = new AtomicLong();
    private final AtomicLong clock = new AtomicLong();
    private final Mirror mirror =
            new Mirror(
                    ApiFixture.scope("pods", ""),
                    Mirrors.window(),
                    Mirrors.READS,
                    Runnable::run,
                    () -> clock.addAndGet(Duration.ofSeconds(10).toNanos()));
    private final MirrorWriter writer = Mirrors.writer(mirror, () -> 0);
    private int revision = 1;

    /** The number of requests that the mirror ignores. */
    private int ignored;

    FloorsTest() {
        writer.identify(ApiSamples.PODS, DeclaredFields.NONE);
        writer.resync().complete(KubeObjects.revision(1));
        server.isAt(1);
    }

    private void tick() {
        server.isAt(++revision);
    }

    /** Waits for the mirror to reach a revision. */
    private boolean isReached(long wanted) throws InterruptedException {
        Floors floors = floors();
        return floors.isReached(
                mirror, KubeObjects.revision(wanted), floors.deadline(Duration.ofMinutes(1)));
    }

    private Floors floors() {
        return floors(MirrorSets.of(mirror));
    }

    private Floors floors(MirrorSet mirrors) {
        return new Floors(
                mirrors,
                new RevisionProbe(server, Runnable::run),
                PATIENCE,
                (_, wanted) -> {
                    asked.add(wanted);
                    if (asked.size() > ignored) {
                        writer.bookmark(KubeObjects.revision(revision));
                    }
                },
                () -> time.addAndGet(Duration.ofMillis(150).toNanos()));
    }

    /** A mirror that comes from disk is older than an answer that did not find it. */
    @Test
    void answer_before_its_mirror_is_there_is_waited_for() throws Exception {
        MirrorSet mirrors = MirrorSets.of();
        Floors floors = floors(mirrors);
        assertThat(floors.answering(_ -> true)).isEmpty();
        tick();
        mirrors.update(List.of(mirror));

        assertThat(floors.await(mirror, Revision.ZERO, floors.deadline(PATIENCE)))
                .map(position -> position.snapshot().revision())
                .contains(KubeObjects.revision(2));
    }

    @Test
    void quiet_mirror_reaches_a_revision_of_the_api_server() throws Exception {
        tick();
        tick();

        assertThat(isReached(3)).isTrue();

        assertThat(mirror.revision()).isEqualTo(KubeObjects.revision(3));
        assertThat(asked).containsExactly(KubeObjects.revision(3));
    }

    @Test
    void mirror_that_ignores_a_request_is_asked_again() throws Exception {
        tick();
        ignored = 2;

        assertThat(isReached(2)).isTrue();

        assertThat(asked).hasSize(3);
        assertThat(server.lists).hasSize(1);
    }

    @Test
    void mirror_that_ignores_all_requests_costs_no_more_than_the_wait() throws Exception {
        tick();
        ignored = Integer.MAX_VALUE;

        assertThat(isReached(2)).isFalse();
        assertThat(asked).hasSizeBetween(2, 20);
    }

    @Test
    void revision_that_the_api_server_has_not_reached_is_too_large() throws Exception {
        tick();

        assertThat(isReached(3)).isFalse();
        assertThat(asked).isEmpty();
    }

    @Test
    void api_server_is_not_asked_where_the_mirror_has_the_revision() throws Exception {
        assertThat(isReached(1)).isTrue();

        assertThat(server.lists).isEmpty();
    }

    @Test
    void api_server_that_is_away_costs_no_more_than_the_wait() throws Exception {
        tick();
        server.reset();

        assertThat(isReached(2)).isFalse();
        assertThat(server.lists).hasSize(1);
    }
}
