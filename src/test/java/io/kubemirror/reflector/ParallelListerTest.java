package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.kube.json.QueuedWatch;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.FakeSource.FakeStream;
import io.kubemirror.reflector.Lister.BufferedWatch;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorState.BackingOff;
import io.kubemirror.reflector.ReflectorState.CatchingUp;
import io.kubemirror.reflector.ReflectorState.FetchMethod;
import io.kubemirror.reflector.ReflectorState.Paging;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.reflector.ReflectorState.Synchronizing;
import io.kubemirror.reflector.ReflectorState.Watching;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchStream.UpstreamWatch;
import io.kubemirror.source.WatchStream.UpstreamWatch.ReadAheadLimits;
import io.kubemirror.source.WatchStream.UpstreamWatch.ReadAheadWatch;
import io.kubemirror.testing.Unchecked;

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
     * Otherwise a watch begins at the revision of the first page (list-watch.md#pp-2, #pp-4, #pp-9,
     * #go-50).
     */
    @Test
    @TransitionRow({
        "Paging: the first page with a token, strategy list-watch-parallel, or auto after a list or"
                + " its watch expired",
        "Paging: last page, with a watch beside it"
    })
    void events_buffered_during_a_parallel_list_are_applied_after_it() {
        api.listsPage(200, "t", object("a/x", 101)).listsPage(200, null, object("a/y", 102));
        api.streams(modified("a/y", 203));

        ReflectorState watching = run(listing, 3);
        assertThat(watching).isInstanceOf(Watching.class);
        assertThat(api.watches).extracting(WatchRequest::revision).containsExactly(revision(200));
        assertThat(mirror.revision()).isEqualTo(revision(200));
        assertThat(content()).contains("a/y@102");

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

    /**
     * If the watch fails, its events are dropped and the list continues as usual
     * (list-watch.md#pp-6, #go-51).
     */
    @Test
    @TransitionRow("Paging: the watch beside it failed or cannot be opened again")
    void list_continues_after_its_parallel_watch_fails_and_is_watched_from_its_revision() {
        api.listsPage(200, "t", object("a/x", 101)).listsPage(200, null, object("a/y", 102));
        api.streams(modified("a/y", 203), failed(410, "Expired"));

        assertThat(run(listing, 4)).isEqualTo(opening);
        assertThat(mirror.revision()).isEqualTo(revision(200));
        assertThat(content()).contains("a/y@102");
    }

    @Test
    @TransitionRow("Paging: a page with a token")
    void multi_page_list_keeps_one_parallel_watch() {
        api.listsPage(200, "t", object("a/x", 101))
                .listsPage(200, "u", object("a/y", 102))
                .listsPage(200, null, object("a/z", 103));
        api.streams();

        assertThat(run(listing, 4)).isInstanceOf(Watching.class);
        assertThat(api.watches).hasSize(1);
        assertThat(content()).containsExactly("a/x@101", "a/y@102", "a/z@103");
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
     * A list older than the mirror is believed only if a second one confirms it
     * (list-watch.md#go-52).
     */
    @Test
    @TransitionRow({
        "Paging: complete, but older than the mirror",
        "CatchingUp: complete, but older than the mirror"
    })
    void list_older_than_the_mirror_is_repeated_before_it_is_accepted() {
        synced(300, object("a/y", 250));
        ReflectorState once = new Synchronizing(pods, SyncStart.CONFIRMING, FetchMethod.PAGES);
        api.listsPage(200, "t", object("a/x", 101)).listsPage(200, null);
        FakeStream first = api.streams();
        assertThat(afterBackoff(run(listing, 3))).isEqualTo(once);
        assertThat(first.closed).isTrue();

        expiresAndEndsAt(210);
        FakeStream second = api.streams(bookmark(215));
        assertThat(afterBackoff(run(listing, 5))).isEqualTo(once);
        assertThat(second.closed).isTrue();
        assertThat(mirror.revision()).isEqualTo(revision(300));
    }

    /** Noticed only after the last page had come (list-watch.md#pp-6). */
    @Test
    @TransitionRow("Paging: last page, and the watch beside it failed meanwhile")
    void watch_that_fails_during_the_last_page_reopens_at_the_list_revision() {
        api.listsPage(200, "t", object("a/x", 101)).listsPage(200, null);
        FakeStream stream = api.streams();
        ReflectorState overlapping = run(listing, 2);
        api.beforeList(() -> stream.then(failed(410, "Expired")));

        assertThat(step(overlapping)).isEqualTo(opening);
        assertThat(stream.closed).isTrue();
        assertThat(mirror.revision()).isEqualTo(revision(200));
    }

    /**
     * A page that has expired is continued at a newer state by the token in the error
     * (list-watch.md#pp-8).
     */
    @Test
    @TransitionRow("CatchingUp: end, cut, silence, and the other watch is refused")
    void list_restarts_if_its_parallel_watch_cannot_be_reopened_while_catching_up() {
        expiresAndEndsAt(210);
        api.streams(CUT).endingLate();
        api.answersWatch(refused(403, "Forbidden"));

        assertThat(afterBackoff(run(listing, 5))).isEqualTo(synchronizing);
        assertThat(mirror.upstream().problem()).contains("cannot watch resource");
        assertThat(mirror.snapshot()).isEmpty();
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

    /** Opens the watch again where it ended (list-watch.md#pp-7). */
    @Test
    @TransitionRow("Paging: the watch beside it has ended")
    void parallel_watch_that_ends_resumes_at_its_last_revision() {
        api.listsPage(200, "t", object("a/x", 101)).listsPage(200, "u").listsPage(200, null);
        api.streams(added("a/y", 203), ENDED);
        api.streams(added("a/z", 204));

        run(listing, 6);

        assertThat(api.watches)
                .extracting(WatchRequest::revision)
                .containsExactly(revision(200), revision(203));
        assertThat(mirror.revision()).isEqualTo(revision(204));
        assertThat(snapshot().size()).isEqualTo(3);
    }

    /** Opens the watch again where it ended (list-watch.md#pp-7). */
    @Test
    @TransitionRow("Paging: the watch beside it failed or cannot be opened again")
    void list_continues_alone_if_its_parallel_watch_cannot_be_reopened() {
        api.listsPage(200, "t", object("a/x", 101)).listsPage(200, null);
        api.streams(added("a/y", 203), ENDED);
        api.answersWatch(CONNECTION_REFUSED);

        assertThat(run(listing, 4)).isEqualTo(opening);
        assertThat(mirror.revision()).isEqualTo(revision(200));
    }

    /** The first page is true at 200, the second at 210 (list-watch.md#pp-8). */
    @Test
    @TransitionRow({
        "Paging: 410 with a token on a later page, with a watch beside it",
        "Paging: last page, and a page had expired",
        "CatchingUp: event or bookmark before the newest page's revision, foreign frame",
        "CatchingUp: event or bookmark at it or later"
    })
    void expired_list_continues_and_completes_when_the_watch_passes_its_revision() {
        api.listsPage(200, "t", object("a/a", 101), object("a/b", 102))
                .lists(expiredWith("inconsistent"))
                .listsPage(210, null, object("a/c", 209));
        api.streams(
                modified("a/a", 203),
                deleted("a/b", 205),
                modified("a/c", 207),
                added("a/d", 208),
                modified("a/c", 209),
                deleted("a/d", 210),
                modified("a/a", 211));

        ReflectorState catchingUp = run(listing, 9);
        assertThat(catchingUp).isInstanceOf(CatchingUp.class);
        assertThat(mirror.snapshot()).isEmpty();

        ReflectorState watching = step(catchingUp);
        assertThat(watching).isInstanceOf(Watching.class);
        assertThat(mirror.revision()).isEqualTo(revision(210));
        assertThat(content()).containsExactly("a/a@203", "a/c@209");

        step(watching);
        assertThat(content()).containsExactly("a/a@211", "a/c@209");
        assertThat(api.lists)
                .containsExactly(
                        new ListRequest(pods, null, 500, null),
                        new ListRequest(pods, null, 500, "t"),
                        new ListRequest(pods, null, 500, "inconsistent"));
    }

    /**
     * A page that has expired is continued at a newer state by the token in the error
     * (list-watch.md#pp-8).
     */
    @Test
    @TransitionRow("CatchingUp: event or bookmark at it or later")
    void bookmark_past_the_list_revision_completes_a_continued_list() {
        expiresAndEndsAt(210);
        api.streams(bookmark(215));

        assertThat(run(listing, 5)).isInstanceOf(Watching.class);
        assertThat(mirror.revision()).isEqualTo(revision(215));
    }

    /** In a quiet collection, the next bookmark of an open watch is up to a minute away. */
    @Test
    @TransitionRow({
        "CatchingUp: end, cut, silence",
        "CatchingUp: event or bookmark at it or later"
    })
    void quiet_list_continues_with_a_watch_that_brings_a_bookmark_soon() {
        expiresAndEndsAt(210);
        FakeStream beside = api.streams();
        api.beforeAnswer(() -> assertThat(beside.closed).isEqualTo(api.watches.size() > 1));
        api.streams(bookmark(212));

        assertThat(run(listing, 6)).isInstanceOf(Watching.class);
        assertThat(mirror.revision()).isEqualTo(revision(212));
        assertThat(api.watches)
                .extracting(WatchRequest::revision)
                .containsExactly(revision(200), revision(200));
        assertThat(api.watches.getLast().timeout())
                .isBetween(Duration.ofSeconds(3), Duration.ofSeconds(5));
    }

    /**
     * A page that has expired is continued at a newer state by the token in the error
     * (list-watch.md#pp-8).
     */
    @Test
    @TransitionRow("CatchingUp: end, cut, silence of another watch that brought nothing")
    void watch_that_ends_before_passing_a_continued_list_is_reopened_once() {
        expiresAndEndsAt(210);
        api.streams(bookmark(205), ENDED).endingLate();
        api.streams(ENDED);

        ReflectorState end = run(listing, 7);

        assertThat(afterBackoff(end)).isEqualTo(whole);
        assertThat(api.watches)
                .extracting(WatchRequest::revision)
                .containsExactly(revision(200), revision(205));
        assertThat(mirror.snapshot()).isEmpty();
    }

    /**
     * A page that has expired is continued at a newer state by the token in the error
     * (list-watch.md#pp-8).
     */
    @Test
    @TransitionRow("CatchingUp: ERROR, nonsense")
    void continued_list_restarts_if_its_watch_fails_after_the_last_page() {
        expiresAndEndsAt(210);
        api.streams(failed(410, "Expired")).endingLate();

        assertThat(afterBackoff(run(listing, 5))).isEqualTo(synchronizing);
        assertThat(mirror.snapshot()).isEmpty();
    }

    /** Its pages are of two states, and without the watch they cannot be made consistent. */
    @Test
    @TransitionRow("Paging: the watch beside it failed after an expired page")
    void continued_list_restarts_if_its_watch_fails_between_pages() {
        expiresAndEndsAt(210);
        BufferedWatch buffer =
                new BufferedWatch(revision(200), new FakeStream(failed(410, "Expired")));
        Paging paging =
                new Paging(
                        listing,
                        new ListRequest(pods, null, 500, null).next("inconsistent"),
                        writer.resync(),
                        null,
                        revision(200),
                        0,
                        buffer);

        ReflectorState end = step(paging);

        assertThat(afterBackoff(end)).isEqualTo(synchronizing);
        assertThat(api.lists).isEmpty();
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

    /** Readers do not see the pages yet. */
    @Test
    void continued_list_does_not_renew_the_age_of_the_content_before_it_is_complete() {
        synced(120, object("a/x", 100));
        expiresAndEndsAt(210);
        api.streams(bookmark(205), bookmark(215));
        now = now.plusSeconds(60);

        ReflectorState catchingUp = run(listing, 5);
        assertThat(mirror.upstream().contact()).isEqualTo(Instant.EPOCH);

        step(catchingUp);
        assertThat(mirror.upstream().contact()).isEqualTo(now);
    }

    /** A server that expires every token at once must not be asked repeatedly. */
    @Test
    @TransitionRow("Paging: 410 on a later page")
    void list_that_expires_twice_in_a_row_restarts_without_pages() {
        api.listsPage(200, "t", object("a/x", 101))
                .lists(expiredWith("inconsistent"))
                .lists(expiredWith("another"));
        api.streams();

        assertThat(run(listing, 4)).isEqualTo(whole);
    }

    @Test
    void auto_strategy_uses_a_parallel_watch_after_a_page_expires() {
        machine = stateMachine(Strategy.AUTO);
        api.listsPage(200, "t", object("a/x", 101)).lists(refused(410, "Expired"));
        run(listing, 3);
        assertThat(api.watches).isEmpty();

        api.listsPage(220, "t", object("a/x", 101)).streams();
        assertThat(run(listing, 2).stream()).isInstanceOf(BufferedWatch.class);
    }

    @Test
    void auto_strategy_uses_a_parallel_watch_after_a_list_revision_expires_for_its_watch() {
        machine = stateMachine(Strategy.AUTO);
        api.listsPage(200, null).answersWatch(refused(410, "Expired"));
        run(listing, 3);

        api.listsPage(220, "t", object("a/x", 101)).streams();
        assertThat(run(listing, 2).stream()).isInstanceOf(BufferedWatch.class);
    }

    @Test
    void auto_strategy_keeps_plain_lists_after_a_410_that_follows_events() {
        machine = stateMachine(Strategy.AUTO);
        api.listsPage(200, null);
        api.streams(added("a/x", 201), failed(410, "Expired"));
        run(listing, 5);

        api.listsPage(220, "t", object("a/x", 101));
        ReflectorState paging = run(listing, 2);
        assertThat(paging).isInstanceOf(Paging.class);
        assertThat(paging.stream()).isNull();
    }

    /** An event after those that a close has discarded must not be applied. */
    @Test
    void reader_of_a_parallel_watch_skips_no_event_while_another_thread_closes_it() {
        List<WatchFrame> read = new ArrayList<>();
        CountDownLatch ended = new CountDownLatch(2);
        AtomicReference<Optional<BufferedWatch>> open = new AtomicReference<>(Optional.empty());
        Runnable reader =
                () ->
                        open.getAndSet(Optional.empty())
                                .ifPresentOrElse(watch -> read.add(watch.next()), ended::countDown);
        BufferedWatch watch =
                new BufferedWatch(
                        revision(200),
                        new QueuedStream(new FakeStream(added("a/x", 201), ENDED), reader));
        watch.append(new QueuedStream(new FakeStream(added("a/y", 205), ENDED), ended::countDown));
        Unchecked.run(ended::await);

        open.set(Optional.of(watch));
        watch.close();

        assertThat(read).containsExactly(ENDED);
    }

    /** A watch that a thread reads ahead, and what happens when it is closed. */
    private record QueuedStream(FakeStream source, Runnable closed) implements UpstreamWatch {

        @Override
        public WatchFrame next() {
            return source.next();
        }

        @Override
        public void close() {
            source.close();
            closed.run();
        }

        @Override
        public ReadAheadWatch ahead(ReadAheadLimits bound) {
            return QueuedWatch.of(this, bound, MemoryBudget.unlimited());
        }
    }

    private void expiresAndEndsAt(long revision) {
        api.listsPage(200, "t", object("a/x", 101))
                .lists(expiredWith("inconsistent"))
                .listsPage(revision, null, object("a/y", 102));
    }

    private static Failure.Refused expiredWith(String token) {
        return new Failure.Refused(new Status(410, "Expired", "as scripted", null, token));
    }

    private List<String> content() {
        return snapshot().objects().stream().map(KubeObject::toString).toList();
    }
}
