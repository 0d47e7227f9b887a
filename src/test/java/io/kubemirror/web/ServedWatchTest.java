package io.kubemirror.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Start;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A watch is served in turns which never wait, whatever its client does. */
class ServedWatchTest {

    private static final Duration HALF_AN_HOUR = Duration.ofMinutes(30);

    private final MirrorWriter writer = writer();
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private final ScheduledThreadPoolExecutor alarms = new ScheduledThreadPoolExecutor(1);
    private final Ending ending = new Ending();
    private final List<Integer> sent = new ArrayList<>();
    private final List<WatchEnd> ends = new ArrayList<>();
    private final AtomicInteger answered = new AtomicInteger();
    private boolean slow;
    private Consumer<@Nullable IOException> later = _ -> {};

    private static MirrorWriter writer() {
        MirrorWriter writer =
                new MirrorWriter(
                        new Mirror(
                                ServedMirrors.scope("pods", ""), Window.standard(), Runnable::run),
                        () -> 0);
        Samples.fillWithGoldenPods(writer);
        return writer;
    }

    @AfterEach
    void close() {
        alarms.shutdownNow();
    }

    @Test
    void a_change_is_sent_in_a_turn_of_its_own() {
        begin();
        writer.upsert(Samples.object("a", "z", 120));
        assertThat(sent).isEmpty();
        takeTurn();
        assertThat(sent).containsExactly(1);
        assertThat(waiting).isEmpty();
    }

    @Test
    void what_came_before_a_turn_is_sent_in_one_go() {
        begin();
        for (int revision = 120; revision < 130; revision++) {
            writer.upsert(Samples.object("a", "z", revision));
        }
        takeTurn();
        assertThat(sent).containsExactly(10);
        assertThat(waiting).isEmpty();
    }

    @Test
    void a_client_that_takes_nothing_is_sent_nothing_more_and_has_no_turns() {
        begin();
        slow = true;
        writer.upsert(Samples.object("a", "z", 120));
        takeTurn();
        for (int revision = 121; revision < 130; revision++) {
            writer.upsert(Samples.object("a", "z", revision));
        }
        takeTurns();
        assertThat(sent).containsExactly(1);
        assertThat(waiting).isEmpty();

        slow = false;
        later.accept(null);
        takeTurns();
        assertThat(sent).containsExactly(1, 9);
    }

    @Test
    void a_client_that_took_nothing_for_too_long_has_stalled() {
        begin();
        slow = true;
        writer.upsert(Samples.object("a", "z", 120));
        takeTurn();
        later.accept(new IOException(new TimeoutException()));
        takeTurns();
        assertThat(ends).containsExactly(WatchEnd.STALLED);
        assertThat(answered).hasValue(1);
    }

    @Test
    void a_watch_that_should_end_finishes_what_it_writes() {
        begin();
        slow = true;
        writer.upsert(Samples.object("a", "z", 120));
        takeTurn();
        ending.request();
        takeTurns();
        assertThat(ends).isEmpty();
        later.accept(null);
        takeTurns();
        assertThat(ends).containsExactly(WatchEnd.CLOSED);
    }

    @Test
    void a_long_backlog_takes_several_turns_so_that_others_have_theirs() {
        begin();
        String padding = "x".repeat(10_000);
        for (int revision = 120; revision < 220; revision++) {
            writer.upsert(Samples.object("a", padding + revision, revision));
        }
        takeTurn();
        assertThat(sent).hasSizeLessThan(10);
        assertThat(waiting).hasSize(1);
        takeTurns();
        assertThat(sent.stream().mapToInt(Integer::intValue).sum()).isEqualTo(100);
    }

    @Test
    void a_watch_ends_once_and_needs_nothing_any_more() {
        begin();
        ending.request();
        ending.request();
        takeTurns();
        writer.upsert(Samples.object("a", "z", 120));
        takeTurns();
        assertThat(ends).containsExactly(WatchEnd.CLOSED);
        assertThat(answered).hasValue(1);
        assertThat(sent).isEmpty();
        assertThat(alarms.getQueue()).isEmpty();
    }

    private void begin() {
        alarms.setRemoveOnCancelPolicy(true);
        Turns turns = new Turns(waiting::add);
        WatchLoop loop =
                new WatchLoop(
                        writer.mirror(),
                        new WatchLoop.Terms(
                                start(),
                                Selection.everything(),
                                WatchLoopTest.frames(),
                                Optional.empty()),
                        new Schedule(
                                Timing.standard(),
                                System::nanoTime,
                                new Schedule.Needs(false, false, HALF_AN_HOUR)),
                        ending,
                        turns::ring);
        ServedWatch.Client client =
                new ServedWatch.Client(
                        this::send,
                        new Alarm(alarms, System::nanoTime, turns::ring),
                        new Pin(new AtomicInteger()));
        new ServedWatch(turns, loop, client, ends::add).start(answered::incrementAndGet);
        takeTurns();
    }

    private WatchStart start() {
        return switch (writer.mirror().start(Samples.revision(110))) {
            case Start.From from -> new WatchStart.After(from.cursor());
            case Start.TooOld old -> throw new AssertionError(old);
        };
    }

    private boolean send(Portion portion, Consumer<@Nullable IOException> told) {
        sent.add(portion.events());
        later = told;
        return !slow;
    }

    private void takeTurn() {
        waiting.remove().run();
    }

    private void takeTurns() {
        for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
            next.run();
        }
    }
}
