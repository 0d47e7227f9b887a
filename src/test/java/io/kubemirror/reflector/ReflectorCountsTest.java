package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.FakeSource.FakeStream;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorState.Watching;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.WatchFrame;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the counters of a reflector. */
class ReflectorCountsTest extends StateMachineHarness {

    private final List<String> times = new ArrayList<>();

    ReflectorCountsTest() {
        counts.listen((span, duration) -> times.add(span + " " + duration));
    }

    @Test
    void list_duration_covers_the_first_to_the_last_page() {
        api.listsPage(110, "t1", object("a/x", 101)).listsPage(110, null, object("a/y", 102));
        ReflectorState paging = run(synchronizing, 2);
        now = now.plusSeconds(3);
        run(paging, 2);

        assertThat(times).containsExactly("LIST PT3S");
    }

    @Test
    void watch_list_duration_ends_with_the_initial_events() {
        machine = stateMachine(Strategy.WATCH_LIST);
        api.streams(initialEventsEnd(110));
        ReflectorState streaming = step(synchronizing);
        now = now.plusSeconds(2);
        step(streaming);

        assertThat(times).containsExactly("WATCH_LIST PT2S");
    }

    /** The clock of the server may be ahead. */
    @ParameterizedTest
    @CsvSource({"4, PT4S", "-4, PT0S"})
    void creation_of_an_object_records_the_sync_lag(int seconds, String lag) {
        synced(120);
        step(watching(created("a/x", 121, now.minusSeconds(seconds))));

        assertThat(times).containsExactly("SYNC_LAG " + lag);
    }

    @Test
    void known_object_or_missing_creation_time_records_no_sync_lag() {
        synced(120, object("a/x", 119));
        step(watching(created("a/x", 119, now.minusSeconds(4))));
        step(watching(added("a/y", 121)));

        assertThat(times).isEmpty();
    }

    /** An old object starts to match a selection when its labels change. */
    @Test
    void object_that_enters_a_selection_records_no_sync_lag() throws Rejection {
        synced(120);
        Selection selection =
                new Selection(
                        "", LabelSelectorParser.parse("app=v"), Selection.everything().fields());
        ResourceCollection selected =
                new ResourceCollection(PODS, selection, pods.shape(), Extent.WHOLE);
        WatchFrame old = created("a/x", 121, now.minusSeconds(3_600));
        step(new Watching(selected, new FakeStream(old), now, false));

        assertThat(mirror.revision()).isEqualTo(revision(121));
        assertThat(times).isEmpty();
    }

    /** The binding of a pod and the removal of a finalizer leave managedFields as they were. */
    @Test
    void only_changes_that_the_server_dates_record_a_sync_lag_in_any_mirror() {
        Instant synced = reported(object("a/x", 101), object("a/y", 102));
        now = now.plusSeconds(100);
        modified("a/x", 121, synced.plusSeconds(97));
        assertThat(times).containsExactly("SYNC_LAG PT3S");

        now = now.plusSeconds(50);
        modified("a/x", 122, synced.plusSeconds(97));
        modified("a/y", 123, synced.plusSeconds(96));
        modified("a/y", 124, null);
        assertThat(times).as("not dated, or not later than all before").hasSize(1);

        step(watching(new WatchFrame.Added(object("a/z", 125), null, synced.plusSeconds(140))));
        modified("a/z", 126, synced.plusSeconds(140));
        assertThat(times).as("the object that appeared had this time already").hasSize(1);

        modified("a/z", 127, synced.plusSeconds(149));
        assertThat(times).containsExactly("SYNC_LAG PT3S", "SYNC_LAG PT1S");
    }

    /** The time may be that of a change before the list, by a clock ahead of this one. */
    @Test
    void change_close_to_a_synchronization_records_no_sync_lag() {
        Instant synced = reported(object("a/x", 101));
        now = now.plusSeconds(600);

        modified("a/x", 121, synced.plusSeconds(60));
        assertThat(times).isEmpty();

        modified("a/x", 122, synced.plusSeconds(61));
        assertThat(times).containsExactly("SYNC_LAG PT8M59S");
    }

    @Test
    void time_in_the_far_future_keeps_no_later_change_from_being_measured() {
        reported(object("a/x", 101));
        now = now.plusSeconds(100);
        modified("a/x", 121, now.plusSeconds(7_200));
        modified("a/x", 122, now.minusSeconds(2));

        assertThat(times).containsExactly("SYNC_LAG PT2S");
    }

    private Instant reported(KubeObject... objects) {
        synced(120, objects);
        machine.reporter.lag().synced(now);
        return now;
    }

    private void modified(String path, long revision, @Nullable Instant changed) {
        step(watching(new WatchFrame.Modified(object(path, revision), changed)));
        assertThat(mirror.revision()).isEqualTo(revision(revision));
    }

    @Test
    void every_retry_is_counted_by_cause() {
        fail(CONNECTION_REFUSED, Counter.RETRIES_UNREACHABLE);
        fail(refused(429, "TooManyRequests"), Counter.RETRIES_THROTTLED);
        fail(refused(403, "Forbidden"), Counter.RETRIES_REFUSED);
        fail(refused(410, "Expired"), Counter.RETRIES_EXPIRED);
        fail(new Failure.Malformed("no list"), Counter.RETRIES_OTHER);
    }

    private void fail(Failure failure, Counter retries) {
        now = now.plusSeconds(60);
        api.lists(failure);
        run(synchronizing, 3);
        assertThat(counts.get(retries)).as(retries.name()).isOne();
    }

    private static WatchFrame created(String path, long revision, Instant at) {
        return new WatchFrame.Added(object(path, revision), at, null);
    }
}
