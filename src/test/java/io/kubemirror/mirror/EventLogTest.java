package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.EventLog.LogView;
import io.kubemirror.mirror.Window.WindowCounts.WindowEvent;
import io.kubemirror.model.Change;
import io.kubemirror.model.Revision;

import org.junit.jupiter.api.Test;

class EventLogTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private long now;

    @Test
    void full_log_grows_while_its_oldest_change_is_recent() {
        EventLog log = log(new Window(4, 8, Duration.ofSeconds(75), 1 << 20), 100);
        append(log, 101, 102, 103, 104, 105);

        assertThat(log.recent().capacity()).isEqualTo(8);
        assertThat(log.recent().coverage().floor()).isEqualTo(revision(100));
        assertThat(read(log, 100)).containsExactly(101L, 102L, 103L, 104L, 105L);
        assertCounted(log, WindowEvent.GROWN, 1);
    }

    @Test
    void full_log_evicts_its_oldest_change_past_the_retention_time() {
        EventLog log = log(new Window(4, 8, Duration.ofSeconds(75), 1 << 20), 100);
        append(log, 101, 103, 105);
        now += 80 * SECOND;
        append(log, 107, 109);

        assertThat(log.recent().capacity()).isEqualTo(4);
        assertThat(log.recent().coverage().floor()).isEqualTo(revision(102));
        assertThat(read(log, 101)).containsExactly(103L, 105L, 107L, 109L);
        assertCounted(log, WindowEvent.EVICTED_AGE, 1);
    }

    @Test
    void full_log_at_maximum_capacity_evicts_even_recent_changes() {
        EventLog log = log(new Window(4, 8, Duration.ofSeconds(75), 1 << 20), 100);
        append(log, LongStream.rangeClosed(101, 120).toArray());

        assertThat(log.recent().capacity()).isEqualTo(8);
        assertThat(log.size()).isEqualTo(8);
        assertThat(log.recent().coverage().floor()).isEqualTo(revision(112));
        assertCounted(log, WindowEvent.GROWN, 1, WindowEvent.EVICTED_CAPACITY, 12);
    }

    @Test
    void full_log_shrinks_when_three_quarters_of_its_changes_are_old() {
        EventLog log = log(new Window(4, 16, Duration.ofSeconds(75), 1 << 20), 100);
        append(log, LongStream.rangeClosed(101, 116).toArray());
        assertThat(log.recent().capacity()).isEqualTo(16);

        now += 80 * SECOND;
        append(log, 117);

        assertThat(log.recent().capacity()).isEqualTo(8);
        assertThat(read(log, 109)).containsExactly(110L, 111L, 112L, 113L, 114L, 115L, 116L, 117L);
        assertCounted(log, WindowEvent.GROWN, 2, WindowEvent.SHRUNK, 1, WindowEvent.EVICTED_AGE, 9);
    }

    @Test
    void log_never_shrinks_below_its_minimum_capacity() {
        EventLog log = log(new Window(4, 16, Duration.ofSeconds(75), 1 << 20), 100);
        for (long revision = 101; revision < 130; revision++) {
            now += 80 * SECOND;
            append(log, revision);
        }

        assertThat(log.recent().capacity()).isEqualTo(4);
        assertThat(read(log, 125)).containsExactly(126L, 127L, 128L, 129L);
    }

    @Test
    void byte_budget_evicts_even_recent_changes() {
        long cost = LoggedChange.cost(added(101));
        EventLog log = log(new Window(4, 1024, Duration.ofSeconds(75), 3 * cost), 100);
        append(log, 101, 102, 103, 104);

        assertThat(log.size()).isEqualTo(3);
        assertThat(log.bytes()).isEqualTo(3 * cost);
        assertThat(log.recent().coverage().floor()).isEqualTo(revision(101));
        assertCounted(log, WindowEvent.EVICTED_BYTES, 1);
    }

    @Test
    void change_larger_than_the_byte_budget_reaches_up_to_date_readers() {
        EventLog log = log(new Window(4, 8, Duration.ofSeconds(75), 1), 100);
        append(log, 101);

        assertThat(read(log, 100)).containsExactly(101L);
    }

    @Test
    void view_has_its_changes_although_they_are_evicted() {
        EventLog log = log(new Window(300, 300, Duration.ofSeconds(75), 1 << 30), 100);
        Map<LogView, List<Long>> views = new IdentityHashMap<>();
        List<Long> kept = new ArrayList<>();
        for (long revision = 101; revision < 2_000; revision++) {
            append(log, revision);
            kept.add(revision);
            if (revision % 500 == 0) {
                log.shorten(revision % 1_000 == 0 ? Long.MAX_VALUE : 1);
                kept.removeIf(one -> !revision(one).isAfter(log.recent().base().revision()));
            }
            kept.removeIf(one -> kept.size() > 300 && one.equals(kept.getFirst()));
            views.put(log.recent(), List.copyOf(kept));
        }
        views.forEach((view, changes) -> assertThat(read(view, 100)).isEqualTo(changes));
    }

    @Test
    void log_returns_the_state_at_every_revision_in_the_window() {
        EventLog log = log(new Window(4, 4, Duration.ofSeconds(75), 1 << 20), 100);
        append(log, 101, 103, 105, 107, 109);

        LogView recent = log.recent();
        assertThat(recent.reaches(revision(100))).isFalse();
        assertThat(recent.reaches(revision(101))).isTrue();
        assertThat(recent.at(revision(101)).size()).isEqualTo(1);
        assertThat(recent.at(revision(102)).size()).isEqualTo(1);
        assertThat(recent.at(revision(103)).size()).isEqualTo(2);
        assertThat(recent.at(revision(108)).size()).isEqualTo(4);
        assertThat(recent.at(revision(108)).revision()).isEqualTo(revision(108));
    }

    private Snapshot last = Snapshot.empty(Revision.ZERO);

    @Test
    void reset_and_shared_memory_evict_for_reasons_of_their_own() {
        EventLog log = log(new Window(4, 8, Duration.ofSeconds(75), 1 << 20), 100);
        append(log, 101, 102, 103);
        log.shorten(1);
        log.reset(Snapshot.empty(revision(200)));

        assertCounted(log, WindowEvent.EVICTED_MEMORY, 1, WindowEvent.EVICTED_RESET, 2);
    }

    /** Pairs of an event and its number; others have not been counted. */
    private static void assertCounted(EventLog log, Object... pairs) {
        Map<WindowEvent, Long> expected = new EnumMap<>(WindowEvent.class);
        Map<WindowEvent, Long> counted = new EnumMap<>(WindowEvent.class);
        for (WindowEvent event : WindowEvent.values()) {
            expected.put(event, 0L);
            counted.put(event, log.recent().counts().get(event));
        }
        for (int i = 0; i < pairs.length; i += 2) {
            expected.put((WindowEvent) pairs[i], ((Number) pairs[i + 1]).longValue());
        }
        assertThat(counted).isEqualTo(expected);
    }

    private static EventLog log(Window window, long start) {
        EventLog log = new EventLog(window);
        log.reset(Snapshot.empty(revision(start)));
        return log;
    }

    private void append(EventLog log, long... revisions) {
        for (long revision : revisions) {
            Change.Added change = added(revision);
            last = last.after(change);
            log.append(change, last, now);
        }
    }

    private static Change.Added added(long revision) {
        return new Change.Added(revision(revision), object("a/" + revision, revision));
    }

    private static List<Long> read(EventLog log, long after) {
        return read(log.recent(), after);
    }

    private static List<Long> read(LogView view, long after) {
        return view.after(revision(after), 1000).stream()
                .map(change -> Long.parseLong(change.change().revision().digits()))
                .toList();
    }
}
