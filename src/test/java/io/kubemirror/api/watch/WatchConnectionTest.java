package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.watch.WatchConnection.EndReason;
import io.kubemirror.api.watch.WatchConnection.FrameSink;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Position;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Names;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.Unchecked;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Tests that a watch runs in short steps that never block, whatever its client does. */
class WatchConnectionTest {

    private final MirrorWriter writer = writer();
    private final Queue<Runnable> waiting = new ArrayDeque<>();

    @AutoClose("shutdownNow")
    private final ScheduledThreadPoolExecutor alarms = new ScheduledThreadPoolExecutor(1);

    private final WatchRegistry registry = new WatchRegistry(System::nanoTime);
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final WatchConnection watch = watch();
    private final List<Integer> sent = new ArrayList<>();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger aborted = new AtomicInteger();
    private Runnable accident = () -> {};
    private boolean slow;
    private Consumer<@Nullable IOException> later = _ -> {};

    /** Its history has one hundred changes. */
    private MirrorWriter writer() {
        Mirror mirror = Mirrors.pods(new Window(100, 100, Duration.ZERO, 64 << 20));
        MirrorWriter writer = Mirrors.writer(mirror, () -> 0);
        ApiSamples.fillWithGoldenPods(writer);
        return writer;
    }

    @Test
    void changes_before_a_run_are_sent_in_one_batch() {
        begin();
        change(120, 130);
        takeTurn();
        assertThat(sent).containsExactly(10);
        assertThat(waiting).isEmpty();
    }

    @Test
    void blocked_client_is_sent_nothing_more_and_its_watch_does_not_run() {
        beginBlocked();
        change(121, 130);
        takeTurns();
        assertThat(sent).containsExactly(1);
        assertThat(waiting).isEmpty();

        slow = false;
        later.accept(null);
        takeTurns();
        assertThat(sent).containsExactly(1, 9);
    }

    @Test
    void client_that_reads_nothing_for_too_long_has_stalled() {
        beginBlocked();
        later.accept(new IOException(new TimeoutException()));
        takeTurns();
        assertThat(ends()).containsExactly(EndReason.STALLED);
        assertThat(answered).hasValue(1);
    }

    @Test
    void watch_that_is_asked_to_end_finishes_its_write() {
        beginBlocked();
        watch.requestEnd();
        takeTurns();
        assertThat(ends()).isEmpty();
        later.accept(null);
        takeTurns();
        assertThat(ends()).containsExactly(EndReason.CLOSED);
    }

    @Test
    void long_backlog_takes_several_runs_so_that_other_watches_can_run() {
        begin();
        changeHundredTimes(120);
        takeTurn();
        assertThat(sent).hasSizeLessThan(10);
        assertThat(waiting).hasSize(1);
        takeTurns();
        assertThat(sent.stream().mapToInt(Integer::intValue).sum()).isEqualTo(100);
    }

    private void changeHundredTimes(int from) {
        String padding = "x".repeat(10_000);
        for (int revision = from; revision < from + 100; revision++) {
            writer.upsert(ApiSamples.object("a", padding + revision % 100, revision));
        }
    }

    @Test
    void watches_that_begin_with_the_same_state_take_turns_at_each_batch() {
        String padding = "x".repeat(10_000);
        for (int revision = 120; revision < 170; revision++) {
            writer.upsert(ApiSamples.object("a", padding + revision, revision));
        }
        Position state = writer.mirror().position().orElseThrow();
        List<String> order = new ArrayList<>();
        for (String client : List.of("first", "second")) {
            CoalescingTask task = new CoalescingTask(waiting::add, alarms, System::nanoTime);
            watch(
                            task,
                            new WatchPhase.Initial(state, false),
                            (batch, _) -> {
                                order.add(client);
                                return true;
                            })
                    .start(() -> {});
        }
        takeTurns();
        assertThat(order).hasSizeGreaterThan(6);
        for (int turn = 0; turn < order.size(); turn++) {
            assertThat(order.get(turn)).isEqualTo(turn % 2 == 0 ? "first" : "second");
        }
    }

    @Test
    void watch_ends_once_and_leaves_no_timer() {
        begin();
        watch.requestEnd();
        watch.requestEnd();
        takeTurns();
        writer.upsert(ApiSamples.object("a", "z", 120));
        takeTurns();
        assertThat(ends()).containsExactly(EndReason.CLOSED);
        assertThat(answered).hasValue(1);
        assertThat(sent).isEmpty();
        assertThat(alarms.getQueue()).isEmpty();
    }

    /** Without the memory for a buffer, for example. */
    @Test
    void error_in_a_write_ends_the_watch_and_its_connection() {
        accident =
                () -> {
                    throw new StackOverflowError("as scripted");
                };
        begin();
        writer.upsert(ApiSamples.object("a", "z", 120));
        takeTurns();

        assertThat(ends()).containsExactly(EndReason.CLOSED);
        assertThat(registry.of(writer.mirror())).isEmpty();
        assertThat(answered).hasValue(1);
        assertThat(aborted).hasValue(1);
    }

    /** As when memory ends while a message is sent. */
    @Test
    void error_in_a_message_of_a_web_socket_returns_the_charge_of_its_batch() {
        MemoryBudget clients = MemoryBudget.of(1 << 20);
        WebSocketSink sink = new WebSocketSink(clients);
        CoalescingTask task = new CoalescingTask(waiting::add, alarms, System::nanoTime);
        sink.new UpgradedConnection(watch(task, start(), sink), () -> {})
                .onOpen(
                        new CoreSession.Empty() {
                            @Override
                            public void sendFrame(Frame frame, Callback callback, boolean batch) {
                                throw new LinkageError("for a test");
                            }
                        },
                        Callback.NOOP);
        FrameBatch batch = new FrameBatch(1_024, 10, UnaryOperator.identity());
        batch.add(new byte[100]);

        assertThatThrownBy(() -> sink.send(batch, _ -> {})).isInstanceOf(LinkageError.class);
        assertThat(clients.used()).isZero();
    }

    @Test
    void write_that_ends_twice_returns_its_charge_once() throws IOException {
        MemoryBudget clients = MemoryBudget.of(1 << 20);
        List<String> ends = new ArrayList<>();
        Callback written =
                new WatchConnection.PendingWrite(clients)
                        .begin(100_000, why -> ends.add(String.valueOf(why)));

        written.failed(new IOException("for a test"));
        written.succeeded();

        assertThat(ends).hasSize(1);
        assertThat(clients.used()).isZero();
    }

    private WatchConnection watch() {
        alarms.setRemoveOnCancelPolicy(true);
        return watch(
                new CoalescingTask(waiting::add, alarms, System::nanoTime),
                start(),
                new FrameSink() {
                    @Override
                    public boolean send(FrameBatch batch, Consumer<@Nullable IOException> told) {
                        return WatchConnectionTest.this.send(batch, told);
                    }

                    @Override
                    public void abort(Throwable cause) {
                        aborted.incrementAndGet();
                    }
                });
    }

    private WatchConnection watch(CoalescingTask task, WatchPhase start, FrameSink sink) {
        Mirror mirror = writer.mirror();
        Watch created = Watches.watch(mirror, start, task, Watches.meter(mirror, meters), registry);
        Unchecked.run(() -> registry.add(created));
        return new WatchConnection(task, sink, List.of(created));
    }

    /** Begins a watch whose client does not take a change. */
    private void beginBlocked() {
        begin();
        slow = true;
        change(120, 121);
        takeTurn();
    }

    private void change(int from, int to) {
        IntStream.range(from, to)
                .forEach(revision -> writer.upsert(ApiSamples.object("a", "z", revision)));
    }

    private void begin() {
        watch.start(answered::incrementAndGet);
        takeTurns();
    }

    private WatchPhase start() {
        return switch (writer.mirror().start(KubeObjects.revision(110))) {
            case StartPosition.From from -> WatchPhase.after(from.cursor());
            case StartPosition.TooOld old -> throw new AssertionError(old);
        };
    }

    private List<EndReason> ends() {
        return Arrays.stream(EndReason.values())
                .flatMap(end -> Collections.nCopies(count(end), end).stream())
                .toList();
    }

    private int count(EndReason end) {
        return (int)
                meters.get("kubemirror.watches.ended")
                        .tag("reason", Names.kebab(end))
                        .counter()
                        .count();
    }

    private boolean send(FrameBatch batch, Consumer<@Nullable IOException> told) {
        accident.run();
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
