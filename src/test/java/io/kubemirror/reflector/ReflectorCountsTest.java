package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.Extent;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.Selection;
import io.kubemirror.model.SelectorException;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.ResourceCollection;
import io.kubemirror.upstream.WatchFrame;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Tests the counters of a reflector. */
class ReflectorCountsTest extends StateMachineHarness {

    private final List<String> times = new ArrayList<>();

    @BeforeEach
    void listen() {
        counts.listen((span, duration) -> times.add(span + " " + duration));
    }

    @Test
    void list_duration_covers_the_first_to_the_last_page() {
        api.listsPage(110, "t1", object("a/x", 101)).listsPage(110, null, object("a/y", 102));
        ReflectorState paging =
                run(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT), 2);
        now = now.plusSeconds(3);
        run(paging, 2);

        assertThat(times).containsExactly("LIST PT3S");
    }

    @Test
    void watch_list_duration_ends_with_the_initial_events() {
        machine = stateMachine(Strategy.WATCH_LIST);
        api.streams(new WatchFrame.Bookmark(revision(110), true));
        ReflectorState streaming =
                step(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));
        now = now.plusSeconds(2);
        step(streaming);

        assertThat(times).containsExactly("WATCH_LIST PT2S");
    }

    @Test
    void creation_of_an_object_records_the_sync_lag() {
        synced(120);
        step(watching(created("a/x", 121, now.minusSeconds(4))));

        assertThat(times).containsExactly("SYNC_LAG PT4S");
    }

    @Test
    void server_clock_ahead_records_zero_sync_lag() {
        synced(120);
        step(watching(created("a/x", 121, now.plusSeconds(4))));

        assertThat(times).containsExactly("SYNC_LAG PT0S");
    }

    @Test
    void known_object_or_missing_creation_time_records_no_sync_lag() {
        synced(120, object("a/x", 119));
        step(watching(created("a/x", 119, now.minusSeconds(4))));
        step(watching(new WatchFrame.Added(object("a/y", 121), null)));

        assertThat(times).isEmpty();
    }

    /** An old object starts to match a selection when its labels change. */
    @Test
    void object_that_enters_a_selection_records_no_sync_lag() throws SelectorException {
        synced(120);
        Selection selection =
                new Selection("", LabelSelector.parse("app=v"), Selection.everything().fields());
        ResourceCollection selected =
                new ResourceCollection(PODS, selection, pods.shape(), Extent.WHOLE);
        WatchFrame old = created("a/x", 121, now.minusSeconds(3_600));
        step(
                new ReflectorState.Watching(
                        selected, new FakeUpstreamApi.FakeStream(old), now, false));

        assertThat(mirror.revision()).isEqualTo(revision(121));
        assertThat(times).isEmpty();
    }

    @Test
    void resynchronization_counts_the_changes_it_found() {
        synced(120, object("a/x", 101), object("a/y", 102));
        now = now.plusSeconds(60);
        api.listsPage(140, null, object("a/x", 130), object("a/z", 131));
        run(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT), 3);

        assertThat(counts.get(Counter.RESYNC_CHANGES)).isEqualTo(3);
    }

    @Test
    void every_retry_is_counted_by_cause() {
        fail(new Failure.Unreachable("connection refused", true), Counter.RETRIES_UNREACHABLE);
        fail(refused(429, "TooManyRequests"), Counter.RETRIES_THROTTLED);
        fail(refused(403, "Forbidden"), Counter.RETRIES_REFUSED);
        fail(refused(410, "Expired"), Counter.RETRIES_EXPIRED);
        fail(new Failure.Malformed("no list"), Counter.RETRIES_MALFORMED);
        synced(120);
        WatchFrame end = new WatchFrame.Ended();
        expect(Counter.RETRIES_INTERRUPTED, () -> step(watching(end)));
        expect(
                Counter.RETRIES_DEFECT,
                () -> machine.failures().defect(new IllegalStateException()));
    }

    private void fail(Failure failure, Counter retries) {
        now = now.plusSeconds(60);
        api.lists(failure);
        expect(
                retries,
                () -> run(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT), 3));
    }

    private void expect(Counter retries, Runnable step) {
        step.run();
        assertThat(counts.get(retries)).as(retries.name()).isOne();
    }

    private static WatchFrame created(String path, long revision, Instant at) {
        return new WatchFrame.Added(object(path, revision), at);
    }

    @Test
    void timing_without_a_listener_is_ignored() {
        ReflectorCounts unheard = new ReflectorCounts();
        unheard.time(TimedSpan.LIST, Duration.ofSeconds(1));

        assertThat(unheard.get(Counter.LISTS_COMPLETED)).isZero();
    }
}
