package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.http.ApiTimings;
import io.kubemirror.api.read.SnapshotPin;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.mirror.MirrorWriter;
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
class WatchSessionTest {

    private static final Duration HALF_AN_HOUR = Duration.ofMinutes(30);

    private final MirrorWriter writer = writer();
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private final ScheduledThreadPoolExecutor alarms = new ScheduledThreadPoolExecutor(1);
    private final StopSignal stopSignal = new StopSignal();
    private final List<Integer> sent = new ArrayList<>();
    private final List<WatchEndReason> ends = new ArrayList<>();
    private final AtomicInteger answered = new AtomicInteger();
    private boolean slow;
    private Consumer<@Nullable IOException> later = _ -> {};

    private static MirrorWriter writer() {
        MirrorWriter writer =
                new MirrorWriter(
                        new Mirror(
                                ApiFixture.scope("pods", ""),
                                Window.standard(),
                                Runnable::run,
                                System::nanoTime),
                        () -> 0);
        ApiSamples.fillWithGoldenPods(writer);
        return writer;
    }

    @AfterEach
    void close() {
        alarms.shutdownNow();
    }

    @Test
    void a_change_is_sent_in_a_turn_of_its_own() {
        begin();
        writer.upsert(ApiSamples.object("a", "z", 120));
        assertThat(sent).isEmpty();
        takeTurn();
        assertThat(sent).containsExactly(1);
        assertThat(waiting).isEmpty();
    }

    @Test
    void what_came_before_a_turn_is_sent_in_one_go() {
        begin();
        for (int revision = 120; revision < 130; revision++) {
            writer.upsert(ApiSamples.object("a", "z", revision));
        }
        takeTurn();
        assertThat(sent).containsExactly(10);
        assertThat(waiting).isEmpty();
    }

    @Test
    void a_client_that_takes_nothing_is_sent_nothing_more_and_has_no_turns() {
        begin();
        slow = true;
        writer.upsert(ApiSamples.object("a", "z", 120));
        takeTurn();
        for (int revision = 121; revision < 130; revision++) {
            writer.upsert(ApiSamples.object("a", "z", revision));
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
        writer.upsert(ApiSamples.object("a", "z", 120));
        takeTurn();
        later.accept(new IOException(new TimeoutException()));
        takeTurns();
        assertThat(ends).containsExactly(WatchEndReason.STALLED);
        assertThat(answered).hasValue(1);
    }

    @Test
    void a_watch_that_should_end_finishes_what_it_writes() {
        begin();
        slow = true;
        writer.upsert(ApiSamples.object("a", "z", 120));
        takeTurn();
        stopSignal.request();
        takeTurns();
        assertThat(ends).isEmpty();
        later.accept(null);
        takeTurns();
        assertThat(ends).containsExactly(WatchEndReason.CLOSED);
    }

    @Test
    void a_long_backlog_takes_several_turns_so_that_others_have_theirs() {
        begin();
        String padding = "x".repeat(10_000);
        for (int revision = 120; revision < 220; revision++) {
            writer.upsert(ApiSamples.object("a", padding + revision, revision));
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
        stopSignal.request();
        stopSignal.request();
        takeTurns();
        writer.upsert(ApiSamples.object("a", "z", 120));
        takeTurns();
        assertThat(ends).containsExactly(WatchEndReason.CLOSED);
        assertThat(answered).hasValue(1);
        assertThat(sent).isEmpty();
        assertThat(alarms.getQueue()).isEmpty();
    }

    private void begin() {
        alarms.setRemoveOnCancelPolicy(true);
        CoalescingTask task = new CoalescingTask(waiting::add);
        WatchStateMachine machine =
                new WatchStateMachine(
                        writer.mirror(),
                        new WatchStateMachine.WatchParameters(
                                start(),
                                Selection.everything(),
                                WatchStateMachineTest.frames(),
                                Optional.empty()),
                        new WatchSchedule(
                                ApiTimings.standard(),
                                System::nanoTime,
                                new WatchSchedule.Needs(false, false, HALF_AN_HOUR)),
                        stopSignal,
                        task::signal);
        WatchSession.WatchClientSettings client =
                new WatchSession.WatchClientSettings(
                        this::send,
                        new Deadline(alarms, System::nanoTime, task::signal),
                        new SnapshotPin(new AtomicInteger()));
        new WatchSession(task, machine, client, ends::add).start(answered::incrementAndGet);
        takeTurns();
    }

    private WatchStart start() {
        return switch (writer.mirror().start(ApiSamples.revision(110))) {
            case StartPosition.From from -> new WatchStart.After(from.cursor());
            case StartPosition.TooOld old -> throw new AssertionError(old);
        };
    }

    private boolean send(FrameBatch batch, Consumer<@Nullable IOException> told) {
        sent.add(batch.events());
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
