package io.kubemirror.reflector;

import static io.kubemirror.testground.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.kube.Failure;
import io.kubemirror.kube.ListRequest;
import io.kubemirror.kube.WatchFrame;
import io.kubemirror.kube.WatchFrame.Broken.Kind;
import io.kubemirror.kube.WatchRequest;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.State.From;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;

/** The rows of the table in {@link Reflector} on lists with a watch beside them (section 16). */
class OverlapTest extends MachineBench {

    private final State listing = new State.Listing(pods, new From.MostRecent(), true);

    @BeforeEach
    void overlapping() {
        machine = machine(Strategy.LIST_WATCH_PARALLEL);
    }

    /** PP-1. */
    @Test
    void a_list_of_one_page_needs_no_watch_beside_it() {
        api.listsPage(200, null, object("a/x", 101));

        assertThat(run(listing, 2)).isEqualTo(new State.Opening(pods));
        assertThat(api.watches).isEmpty();
    }

    /** PP-2, PP-4, PP-9, GO-50. */
    @Test
    @Row({
        "Paging: the first page with a token, strategy list-watch-parallel, or auto after a list or"
                + " its watch expired",
        "Overlapping: last page"
    })
    void changes_from_before_the_last_page_follow_the_list() {
        api.listsPage(200, "t", object("a/x", 101)).listsPage(200, null, object("a/y", 102));
        api.streams(new WatchFrame.Modified(object("a/y", 203)));

        State watching = run(listing, 3);
        assertThat(watching).isInstanceOf(State.Watching.class);
        assertThat(api.watches).extracting(WatchRequest::revision).containsExactly(revision(200));
        assertThat(mirror.revision()).isEqualTo(revision(200));
        assertThat(revisionOf("a/y")).isEqualTo("102");

        step(watching);
        assertThat(mirror.revision()).isEqualTo(revision(203));
        assertThat(revisionOf("a/y")).isEqualTo("203");
    }

    /** PP-3. */
    @Test
    @Row("Overlapping: pages of different revisions")
    void pages_of_different_revisions_are_not_believed() {
        api.listsPage(200, "t", object("a/x", 101)).listsPage(201, null, object("a/y", 102));
        FakeKubeApi.Stream stream = api.streams();

        assertThat(run(listing, 3)).isInstanceOf(State.Resting.class);
        assertThat(mirror.snapshot()).isEmpty();
        assertThat(stream.closed).isTrue();
    }

    /** PP-6, GO-51. */
    @Test
    @Row("Overlapping: the watch failed or cannot be opened again")
    void a_list_whose_watch_fails_goes_on_alone_and_is_watched_from_its_own_revision() {
        api.listsPage(200, "t", object("a/x", 101)).listsPage(200, null, object("a/y", 102));
        api.streams(
                new WatchFrame.Modified(object("a/y", 203)),
                new WatchFrame.Failed(status(410, "Expired")));

        assertThat(run(listing, 4)).isEqualTo(new State.Opening(pods));
        assertThat(mirror.revision()).isEqualTo(revision(200));
        assertThat(revisionOf("a/y")).isEqualTo("102");
    }

    @Test
    @Row("Overlapping: a page with a token")
    void a_list_of_many_pages_keeps_its_watch() {
        api.listsPage(200, "t", object("a/x", 101))
                .listsPage(200, "u", object("a/y", 102))
                .listsPage(200, null, object("a/z", 103));
        api.streams();

        assertThat(run(listing, 4)).isInstanceOf(State.Watching.class);
        assertThat(api.watches).hasSize(1);
        assertThat(content()).containsExactly("a/x@101", "a/y@102", "a/z@103");
    }

    @Test
    @Row({"Overlapping: 404", "Overlapping: any other failure"})
    void a_list_that_fails_with_its_watch_open_closes_it() {
        api.listsPage(200, "t", object("a/x", 101)).lists(refused(500, "InternalError"));
        FakeKubeApi.Stream first = api.streams();
        assertThat(resting(run(listing, 3)).next())
                .isEqualTo(new State.Synchronising(pods, new From.MostRecent()));
        assertThat(first.closed).isTrue();

        api.listsPage(200, "t", object("a/x", 101)).lists(refused(404, "NotFound"));
        FakeKubeApi.Stream second = api.streams();
        assertThat(resting(run(listing, 3)).next()).isEqualTo(new State.Resolving());
        assertThat(second.closed).isTrue();
    }

    /** GO-52. */
    @Test
    @Row({
        "Overlapping: complete, but older than the mirror",
        "CatchingUp: complete, but older than the mirror"
    })
    void a_server_that_seems_to_have_gone_back_is_asked_again_before_it_is_believed() {
        synchronised(300, object("a/y", 250));
        State once = new State.Listing(pods, new From.Confirming(), true);
        api.listsPage(200, "t", object("a/x", 101)).listsPage(200, null);
        FakeKubeApi.Stream first = api.streams();
        assertThat(resting(run(listing, 3)).next()).isEqualTo(once);
        assertThat(first.closed).isTrue();

        expiresAndEndsAt(210);
        FakeKubeApi.Stream second = api.streams(new WatchFrame.Bookmark(revision(215), false));
        assertThat(resting(run(listing, 5)).next()).isEqualTo(once);
        assertThat(second.closed).isTrue();
        assertThat(mirror.revision()).isEqualTo(revision(300));
    }

    /** PP-6: noticed only after the last page had come. */
    @Test
    @Row("Overlapping: last page, and the watch failed meanwhile")
    void a_watch_that_fails_during_the_last_page_is_opened_anew_at_the_lists_revision() {
        api.listsPage(200, "t", object("a/x", 101)).listsPage(200, null);
        FakeKubeApi.Stream stream = api.streams();
        State overlapping = run(listing, 2);
        api.beforeList(() -> stream.then(new WatchFrame.Failed(status(410, "Expired"))));

        assertThat(step(overlapping)).isEqualTo(new State.Opening(pods));
        assertThat(stream.closed).isTrue();
        assertThat(mirror.revision()).isEqualTo(revision(200));
    }

    /** PP-8. */
    @Test
    @Row("CatchingUp: the same, but the other watch is refused")
    void a_watch_that_cannot_be_prolonged_after_the_last_page_makes_the_list_start_over() {
        expiresAndEndsAt(210);
        api.streams(new WatchFrame.Broken("cut", Kind.CUT)).endingLate();
        api.answersWatch(refused(403, "Forbidden"));

        assertThat(resting(run(listing, 5)).next())
                .isEqualTo(new State.Synchronising(pods, new From.MostRecent()));
        assertThat(mirror.upstream().problem()).contains("cannot watch resource");
        assertThat(mirror.snapshot()).isEmpty();
    }

    /** PP-6. */
    @Test
    @Row("Paging: the same, but the watch is refused")
    void a_list_whose_watch_is_refused_goes_on_alone() {
        api.listsPage(200, "t", object("a/x", 101))
                .listsPage(200, null)
                .answersWatch(refused(500, "InternalError"));

        assertThat(run(listing, 3)).isEqualTo(new State.Opening(pods));
        assertThat(mirror.revision()).isEqualTo(revision(200));
    }

    /** PP-7. */
    @Test
    @Row("Overlapping: the watch has ended")
    void a_watch_that_ends_beside_the_list_is_prolonged_where_it_ended() {
        api.listsPage(200, "t", object("a/x", 101)).listsPage(200, null);
        api.streams(new WatchFrame.Added(object("a/y", 203)), new WatchFrame.Ended());
        api.streams(new WatchFrame.Added(object("a/z", 204)));

        run(listing, 5);

        assertThat(api.watches)
                .extracting(WatchRequest::revision)
                .containsExactly(revision(200), revision(203));
        assertThat(mirror.revision()).isEqualTo(revision(204));
        assertThat(mirror.snapshot().orElseThrow().size()).isEqualTo(3);
    }

    /** PP-7. */
    @Test
    @Row("Overlapping: the watch failed or cannot be opened again")
    void a_watch_that_cannot_be_prolonged_leaves_the_list_alone() {
        api.listsPage(200, "t", object("a/x", 101)).listsPage(200, null);
        api.streams(new WatchFrame.Added(object("a/y", 203)), new WatchFrame.Ended());
        api.answersWatch(new Failure.Unreachable("connection refused", true));

        assertThat(run(listing, 4)).isEqualTo(new State.Opening(pods));
        assertThat(mirror.revision()).isEqualTo(revision(200));
    }

    /** PP-8: the first page is true at 200, the second at 210. */
    @Test
    @Row({
        "Overlapping: 410 with a token",
        "Overlapping: last page, and a page had expired",
        "CatchingUp: event or bookmark before the newest page's revision, foreign frame",
        "CatchingUp: event or bookmark at it or later"
    })
    void a_list_that_expires_is_continued_and_becomes_true_when_the_watch_has_passed_it() {
        api.listsPage(200, "t", object("a/a", 101), object("a/b", 102))
                .lists(expiredWith("inconsistent"))
                .listsPage(210, null, object("a/c", 209));
        api.streams(
                new WatchFrame.Modified(object("a/a", 203)),
                new WatchFrame.Deleted(object("a/b", 205)),
                new WatchFrame.Modified(object("a/c", 207)),
                new WatchFrame.Added(object("a/d", 208)),
                new WatchFrame.Modified(object("a/c", 209)),
                new WatchFrame.Deleted(object("a/d", 210)),
                new WatchFrame.Modified(object("a/a", 211)));

        State catchingUp = run(listing, 9);
        assertThat(catchingUp).isInstanceOf(State.CatchingUp.class);
        assertThat(mirror.snapshot()).isEmpty();

        State watching = step(catchingUp);
        assertThat(watching).isInstanceOf(State.Watching.class);
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

    /** PP-8. */
    @Test
    @Row("CatchingUp: event or bookmark at it or later")
    void a_bookmark_is_enough_to_pass_the_list() {
        expiresAndEndsAt(210);
        api.streams(new WatchFrame.Bookmark(revision(215), false));

        assertThat(run(listing, 5)).isInstanceOf(State.Watching.class);
        assertThat(mirror.revision()).isEqualTo(revision(215));
    }

    /** PP-8. */
    @Test
    @Row({
        "CatchingUp: end, cut, silence",
        "CatchingUp: end, cut, silence of another watch that brought nothing"
    })
    void a_watch_that_ends_before_it_has_passed_the_list_is_prolonged_once() {
        expiresAndEndsAt(210);
        api.streams(new WatchFrame.Bookmark(revision(205), false), new WatchFrame.Ended())
                .endingLate();
        api.streams(new WatchFrame.Ended());

        State end = run(listing, 7);

        assertThat(resting(end).next())
                .isEqualTo(new State.Synchronising(pods, new From.MostRecent()));
        assertThat(api.watches)
                .extracting(WatchRequest::revision)
                .containsExactly(revision(200), revision(205));
        assertThat(mirror.snapshot()).isEmpty();
    }

    /** PP-8. */
    @Test
    @Row("CatchingUp: ERROR, nonsense")
    void a_continued_list_whose_watch_fails_at_the_end_starts_over() {
        expiresAndEndsAt(210);
        api.streams(new WatchFrame.Failed(status(410, "Expired"))).endingLate();

        assertThat(resting(run(listing, 5)).next())
                .isEqualTo(new State.Synchronising(pods, new From.MostRecent()));
        assertThat(mirror.snapshot()).isEmpty();
    }

    /** Its pages are of two states, which nothing can make one any more. */
    @Test
    @Row("Overlapping: the same after an expired page")
    void a_continued_list_whose_watch_fails_on_the_way_starts_over() {
        expiresAndEndsAt(210);
        Tail tail =
                new Tail(
                        revision(200),
                        new FakeKubeApi.Stream(new WatchFrame.Failed(status(410, "Expired"))));
        State.Paging paging =
                new State.Paging(
                        (State.Listing) listing,
                        new ListRequest(pods, null, 500, null).next("inconsistent"),
                        writer.resync(),
                        null,
                        now);

        State end = step(new State.Overlapping(paging, tail, revision(200)));

        assertThat(resting(end).next())
                .isEqualTo(new State.Synchronising(pods, new From.MostRecent()));
        assertThat(api.lists).isEmpty();
    }

    /** UP-7. */
    @Test
    @Row("Overlapping: 410 without a token, or at once again")
    void a_list_that_expires_without_a_token_is_asked_for_in_one_piece() {
        api.listsPage(200, "t", object("a/x", 101)).lists(refused(410, "Expired"));
        FakeKubeApi.Stream stream = api.streams();

        assertThat(run(listing, 3))
                .isEqualTo(new State.Listing(pods, new From.MostRecent(), false));
        assertThat(stream.closed).isTrue();
    }

    /** A server that expires every token at once must not be asked for ever. */
    @Test
    @Row("Overlapping: 410 without a token, or at once again")
    void a_list_that_expires_again_at_once_is_asked_for_in_one_piece() {
        api.listsPage(200, "t", object("a/x", 101))
                .lists(expiredWith("inconsistent"))
                .lists(expiredWith("another"));
        api.streams();

        assertThat(run(listing, 4))
                .isEqualTo(new State.Listing(pods, new From.MostRecent(), false));
    }

    @Test
    @Row(
            "Paging: the first page with a token, strategy list-watch-parallel, or auto after a"
                    + " list or its watch expired")
    void auto_lists_with_the_watch_beside_it_after_a_page_has_expired() {
        machine = machine(Strategy.AUTO);
        api.listsPage(200, "t", object("a/x", 101)).lists(refused(410, "Expired"));
        run(listing, 3);
        assertThat(api.watches).isEmpty();

        api.listsPage(220, "t", object("a/x", 101)).streams();
        assertThat(run(listing, 2)).isInstanceOf(State.Overlapping.class);
    }

    @Test
    @Row(
            "Paging: the first page with a token, strategy list-watch-parallel, or auto after a"
                    + " list or its watch expired")
    void auto_lists_with_the_watch_beside_it_after_a_lists_revision_was_gone_for_its_watch() {
        machine = machine(Strategy.AUTO);
        api.listsPage(200, null).answersWatch(refused(410, "Expired"));
        run(listing, 3);

        api.listsPage(220, "t", object("a/x", 101)).streams();
        assertThat(run(listing, 2)).isInstanceOf(State.Overlapping.class);
    }

    @Test
    void a_410_after_events_says_nothing_against_lists_without_a_watch_beside_them() {
        machine = machine(Strategy.AUTO);
        api.listsPage(200, null);
        api.streams(
                new WatchFrame.Added(object("a/x", 201)),
                new WatchFrame.Failed(status(410, "Expired")));
        run(listing, 5);

        api.listsPage(220, "t", object("a/x", 101));
        assertThat(run(listing, 2)).isInstanceOf(State.Paging.class);
    }

    private void expiresAndEndsAt(long revision) {
        api.listsPage(200, "t", object("a/x", 101))
                .lists(expiredWith("inconsistent"))
                .listsPage(revision, null, object("a/y", 102));
    }

    private static Failure.Refused expiredWith(String token) {
        return new Failure.Refused(new Status(410, "Expired", "as scripted", null, token));
    }

    private String revisionOf(String path) {
        return content().stream()
                .filter(object -> object.startsWith(path + "@"))
                .map(object -> object.substring(path.length() + 1))
                .findFirst()
                .orElseThrow();
    }

    private List<String> content() {
        return mirror.snapshot().orElseThrow().objects().stream()
                .map(KubeObject::toString)
                .toList();
    }
}
