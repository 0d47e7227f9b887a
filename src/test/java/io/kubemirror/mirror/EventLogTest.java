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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventLogTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private long now;

    /**
     * What is about the log, the least and the most changes that it keeps and their bytes, and
     * steps. The log begins at 100 and keeps changes for 75 seconds; {@code each} appends one
     * revision after the other, so many seconds apart.
     */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    a full log grows while its oldest change is recent | 4 | 8 | 1000000 | append 101 102 103 104 105; capacity 8; floor 100; read 100 101 102 103 104 105; counted GROWN=1
                    a full log evicts its oldest change past the time | 4 | 8 | 1000000 | append 101 103 105; pass 80; append 107 109; capacity 4; floor 102; read 101 103 105 107 109; counted EVICTED_AGE=1
                    a full log at its maximum evicts even recent changes | 4 | 8 | 1000000 | each 101 120 0; capacity 8; size 8; floor 112; counted GROWN=1 EVICTED_CAPACITY=12
                    a full log shrinks when three quarters are old | 4 | 16 | 1000000 | each 101 116 0; capacity 16; pass 80; append 117; capacity 8; read 109 110 111 112 113 114 115 116 117; counted GROWN=2 SHRUNK=1 EVICTED_AGE=9
                    a log never shrinks below its minimum | 4 | 16 | 1000000 | each 101 129 80; capacity 4; read 125 126 127 128 129
                    a change larger than the budget reaches readers that are up to date | 4 | 8 | 1 | append 101; read 100 101
                    a reset and shared memory evict for reasons of their own | 4 | 8 | 1000000 | append 101 102 103; shorten 1; reset 200; counted EVICTED_MEMORY=1 EVICTED_RESET=2
                    """)
    void log_keeps(String what, int least, int most, long bytes, String steps) {
        EventLog log = log(new Window(least, most, Duration.ofSeconds(75), bytes), 100);
        for (String step : steps.split("; ", -1)) {
            String[] words = step.split(" ", 2);
            long[] numbers =
                    words[1].contains("=")
                            ? new long[0]
                            : Stream.of(words[1].split(" ", -1))
                                    .mapToLong(Long::parseLong)
                                    .toArray();
            switch (words[0]) {
                case "append" -> append(log, numbers);
                case "pass" -> now += numbers[0] * SECOND;
                case "each" -> {
                    for (long revision = numbers[0]; revision <= numbers[1]; revision++) {
                        now += numbers[2] * SECOND;
                        append(log, revision);
                    }
                }
                case "shorten" -> log.shorten(numbers[0]);
                case "reset" -> log.reset(Snapshot.empty(revision(numbers[0])));
                default -> assertThat(found(log, words[0], numbers)).as(step).isEqualTo(words[1]);
            }
        }
    }

    private static String found(EventLog log, String what, long[] numbers) {
        return switch (what) {
            case "capacity" -> Integer.toString(log.recent().capacity());
            case "size" -> Long.toString(log.size());
            case "floor" -> log.recent().coverage().floor().toString();
            case "counted" ->
                    Stream.of(WindowEvent.values())
                            .filter(event -> log.recent().counts().get(event) > 0)
                            .map(event -> event + "=" + log.recent().counts().get(event))
                            .collect(Collectors.joining(" "));
            default ->
                    numbers[0]
                            + read(log, numbers[0]).stream()
                                    .map(revision -> " " + revision)
                                    .collect(Collectors.joining());
        };
    }

    @Test
    void byte_budget_evicts_even_recent_changes() {
        long cost = LoggedChange.cost(added(101));
        EventLog log = log(new Window(4, 1024, Duration.ofSeconds(75), 3 * cost), 100);
        append(log, 101, 102, 103, 104);

        assertThat(log.size()).isEqualTo(3);
        assertThat(log.bytes()).isEqualTo(3 * cost);
        assertThat(log.recent().coverage().floor()).isEqualTo(revision(101));
        assertThat(found(log, "counted", new long[0])).isEqualTo("EVICTED_BYTES=1");
    }

    @Test
    void view_has_its_changes_although_they_are_evicted() {
        EventLog log = log(new Window(300, 300, Duration.ofSeconds(75), 1 << 30), 100);
        IdentityHashMap<LogView, List<Long>> views = new IdentityHashMap<>();
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
