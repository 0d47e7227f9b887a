package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.FakeSource.FakeStream;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorState.BackingOff;
import io.kubemirror.reflector.ReflectorState.FetchMethod;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.reflector.ReflectorState.Synchronizing;
import io.kubemirror.reflector.ReflectorState.Watching;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Source.WatchRequest;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the rows of the table in {@code src/docs/reflector.md} on lists with a watch beside them
 * (list-watch.md#parallel-lists).
 */
class ParallelListerTest extends StateMachineHarness {

    /** A list in one piece. */
    private final Synchronizing whole =
            new Synchronizing(pods, SyncStart.MOST_RECENT, FetchMethod.WHOLE);

    @BeforeEach
    void overlapping() {
        machine = stateMachine(Strategy.LIST_WATCH_PARALLEL);
    }

    /** The first page is asked for without a revision (list-watch.md#pp-1). */
    @Test
    void single_page_list_opens_no_parallel_watch() {
        api.listsPage(200, null, object("a/x", 101));

        assertThat(run(listing, 2)).isEqualTo(opening);
        assertThat(api.watches).isEmpty();
    }

    /**
     * Otherwise a watch begins at the revision of the first page (list-watch.md#pp-1, #pp-4, #pp-9,
     * #pp-4).
     */
    @Test
    @TransitionRow({
        "Paging: the first page with a token, strategy list-watch-parallel, or auto after a list or"
                + " its watch expired",
        "Paging: last page, with a watch beside it"
    })
    void events_buffered_during_a_parallel_list_are_applied_after_it() {
        api.listsPage(200, "t", object("a/x", 101))
                .listsPage(200, "u", object("a/y", 102))
                .listsPage(200, null, object("a/z", 103));
        api.streams(modified("a/y", 203));

        ReflectorState watching = run(listing, 4);
        assertThat(watching).isInstanceOf(Watching.class);
        assertThat(api.watches).extracting(WatchRequest::revision).containsExactly(revision(200));
        assertThat(mirror.revision()).isEqualTo(revision(200));
        assertThat(content()).containsExactly("a/x@101", "a/y@102", "a/z@103");

        step(watching);
        assertThat(mirror.revision()).isEqualTo(revision(203));
        assertThat(content()).contains("a/y@203");
    }

    @Test
    void watch_beside_a_list_stays_open_while_a_page_is_refused_for_a_time() {
        Status later = new Status(429, "TooManyRequests", "later", Status.Details.retryAfter(1));
        api.listsPage(200, "t", object("a/x", 101))
                .lists(new Failure.Refused(later))
                .listsPage(200, null, object("a/y", 102));
        FakeStream stream = api.streams(modified("a/y", 203));

        ReflectorState waiting = run(listing, 3);
        assertThat(afterBackoff(waiting)).isInstanceOf(ReflectorState.Paging.class);
        assertThat(stream.closed).isFalse();

        assertThat(run(waiting, 2)).isInstanceOf(Watching.class);
        waiting.close();
        assertThat(stream.closed).isTrue();
    }

    /** All pages must have that revision (list-watch.md#pp-3). */
    @Test
    @TransitionRow("Paging: pages of different revisions")
    void list_with_pages_at_different_revisions_is_discarded() {
        api.listsPage(200, "t", object("a/x", 101)).listsPage(201, null, object("a/y", 102));
        FakeStream stream = api.streams();

        assertThat(run(listing, 3)).isInstanceOf(BackingOff.class);
        assertThat(mirror.snapshot()).isEmpty();
        assertThat(stream.closed).isTrue();
    }

    @Test
    @TransitionRow({"Paging: 404", "Paging: any other failure"})
    void failed_list_closes_its_parallel_watch() {
        api.listsPage(200, "t", object("a/x", 101)).lists(refused(500, "InternalError"));
        FakeStream first = api.streams();
        assertThat(afterBackoff(run(listing, 3))).isEqualTo(synchronizing);
        assertThat(first.closed).isTrue();

        api.listsPage(200, "t", object("a/x", 101)).lists(refused(404, "NotFound"));
        FakeStream second = api.streams();
        assertThat(afterBackoff(run(listing, 3))).isEqualTo(RESOLVING);
        assertThat(second.closed).isTrue();
    }

    /**
     * If the watch fails, its events are dropped and the list continues as usual
     * (list-watch.md#pp-6).
     */
    @Test
    @TransitionRow("Paging: the first page with a token, but the watch beside it is refused")
    void list_continues_alone_if_its_parallel_watch_is_rejected() {
        api.listsPage(200, "t", object("a/x", 101))
                .listsPage(200, null)
                .answersWatch(refused(500, "InternalError"));

        assertThat(run(listing, 3)).isEqualTo(opening);
        assertThat(mirror.revision()).isEqualTo(revision(200));
    }

    /** If a later page is expired, the collection is listed in one piece (list-watch.md#up-7). */
    @Test
    @TransitionRow("Paging: 410 on a later page")
    void list_that_expires_without_a_continue_token_restarts_without_pages() {
        api.listsPage(200, "t", object("a/x", 101)).lists(refused(410, "Expired"));
        FakeStream stream = api.streams();

        assertThat(run(listing, 3)).isEqualTo(whole);
        assertThat(stream.closed).isTrue();
    }

    /** What arrived before the failure is applied after the list (list-watch.md#pp-6). */
    @Test
    void events_before_the_end_of_a_parallel_watch_are_applied_after_the_list() {
        api.listsPage(200, "t", object("a/x", 101)).listsPage(200, null, object("a/y", 102));
        api.streams(modified("a/y", 203), ENDED);

        assertThat(run(listing, 5)).isEqualTo(opening);
        assertThat(mirror.revision()).isEqualTo(revision(203));
        assertThat(content()).contains("a/y@203");
    }

    @Test
    void auto_strategy_uses_a_parallel_watch_after_a_page_expires() {
        machine = stateMachine(Strategy.AUTO);
        api.listsPage(200, "t", object("a/x", 101)).lists(refused(410, "Expired"));
        run(listing, 3);
        assertThat(api.watches).isEmpty();

        api.listsPage(220, "t", object("a/x", 101)).streams();
        assertThat(run(listing, 2).stream()).isNotNull();
    }

    @Test
    void auto_strategy_uses_a_parallel_watch_after_a_list_revision_expires_for_its_watch() {
        machine = stateMachine(Strategy.AUTO);
        api.listsPage(200, null).answersWatch(refused(410, "Expired"));
        run(listing, 3);

        api.listsPage(220, "t", object("a/x", 101)).streams();
        assertThat(run(listing, 2).stream()).isNotNull();
    }

    private List<String> content() {
        return snapshot().objects().stream().map(KubeObject::toString).toList();
    }
}
