package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Restoration;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.ReflectorTimeouts;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.source.WatchStream;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.ReflectorEnvironments;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.WaitLimit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReflectorTest {

    private final List<Reflector> reflectors = new ArrayList<>();
    private final FakeSource api = new FakeSource().discovers(StateMachineHarness.PODS);
    private final Mirror mirror = Mirrors.pods();
    private final SilentStream stream = new SilentStream();
    private final ReflectorEnvironment environment =
            ReflectorEnvironments.alone(InstantSource.system(), new Random(1), Thread::sleep);
    private final Reflector reflector = reflector(ReflectorEnvironments.timeouts(), environment);

    private Reflector reflector(ReflectorTimeouts timeouts, ReflectorEnvironment in) {
        Reflector created =
                new Reflector(
                        api,
                        Mirrors.writer(mirror, System::nanoTime),
                        StateMachineHarness.settings(Strategy.LIST_WATCH, timeouts),
                        in);
        reflectors.add(created);
        return created;
    }

    @AfterEach
    void closeAll() {
        reflectors.forEach(ReflectorTest::close);
    }

    /** Prepares a list, and a watch on which nothing happens. */
    private FakeSource synchronizes() {
        return api.listsPage(110, null, object("a/x", 101)).answersWatch(Result.of(stream));
    }

    private void awaitWatch() throws InterruptedException {
        assertThat(stream.read.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void reflector_synchronizes_watches_and_stops_on_close() throws Exception {
        synchronizes();

        reflector.start();
        assertThat(mirror.await(new Revision("110"), Duration.ofSeconds(30))).isTrue();
        awaitWatch();
        assertThat(mirror.upstream().phase()).isEqualTo(Phase.WATCHING);

        close(reflector);
        assertThat(stream.closed.getCount()).isZero();
        assertThat(mirror.upstream().phase()).isEqualTo(Phase.STOPPED);
        assertThat(mirror.snapshot().orElseThrow().size()).isOne();
    }

    @Test
    void reflector_begins_although_the_mirror_could_not_be_filled() throws Exception {
        api.discovers(StateMachineHarness.PODS);
        synchronizes();
        reflector.startAfter(CompletableFuture.failedFuture(new StackOverflowError("as scripted")));
        reflector.start();

        awaitWatch();
        assertThat(mirror.upstream().phase()).isEqualTo(Phase.WATCHING);
    }

    @Test
    @TransitionRow("any: a defect of kubemirror")
    void reflector_begins_again_after_an_error() throws Exception {
        goesOnAfter(
                () -> {
                    throw new StackOverflowError("as scripted");
                });
    }

    /** Nothing but {@code close} ends it. */
    @Test
    void reflector_begins_again_if_something_else_interrupts_its_thread() throws Exception {
        goesOnAfter(() -> Thread.currentThread().interrupt());
    }

    @Test
    void reflector_begins_although_its_first_state_fails() throws Exception {
        AtomicBoolean failed = new AtomicBoolean();
        Random random =
                new Random(1) {
                    @Override
                    public long nextLong() {
                        if (failed.compareAndSet(false, true)) {
                            throw new IllegalStateException("as scripted");
                        }
                        return super.nextLong();
                    }
                };
        ReflectorTimeouts spread =
                ReflectorEnvironments.timeouts(Duration.ofMillis(2), Duration.ZERO);
        synchronizes();
        Reflector begun =
                reflector(
                        spread,
                        ReflectorEnvironments.alone(InstantSource.system(), random, Thread::sleep));
        begun.start();

        awaitWatch();
        assertThat(failed).isTrue();
    }

    /** A name may be looked up for longer than anybody waits. */
    @Test
    void thread_that_is_not_waited_for_lets_others_list() throws Exception {
        CountDownLatch listing = new CountDownLatch(1);
        CompletableFuture<Void> answered = new CompletableFuture<>();
        api.listsPage(110, null, object("a/x", 101))
                .beforeList(
                        () -> {
                            listing.countDown();
                            answered.join();
                        });
        reflector.start();
        assertThat(listing.await(30, TimeUnit.SECONDS)).isTrue();
        reflector.stop();
        reflector.awaitEnd(Duration.ZERO);

        Thread other = Thread.ofVirtual().start(() -> Unchecked.run(environment.lists()::acquire));
        assertThat(other.join(Duration.ofSeconds(30))).isTrue();
        answered.complete(null);
    }

    private void goesOnAfter(Runnable accident) throws Exception {
        AtomicInteger watches = new AtomicInteger();
        api.beforeAnswer(
                () -> {
                    if (watches.incrementAndGet() == 1) {
                        accident.run();
                    }
                });
        for (int attempt = 0; attempt < 2; attempt++) {
            api.discovers(StateMachineHarness.PODS);
            synchronizes();
        }
        reflector.start();

        WaitLimit.until(() -> watches.get() > 1);
    }

    @Test
    void memory_of_a_mirror_is_returned_after_it_is_filled() throws Exception {
        MemoryBudget budget = MemoryBudget.of(1 << 20);
        MirrorWriter writer = Mirrors.writer(mirror, new MirrorMemory(budget));
        Reflector removed =
                new Reflector(
                        api,
                        writer,
                        StateMachineHarness.settings(Strategy.LIST_WATCH),
                        environment);
        CompletableFuture<@Nullable Void> filled = new CompletableFuture<>();
        removed.startAfter(filled);
        Restoration restoration = writer.restoration();
        restoration.begin(new Revision("10"));

        removed.remove();
        removed.awaitEnd(Duration.ofMillis(100));
        restoration.upsert(object("a/x", 11), new Revision("11"), Duration.ZERO);
        Mirrors.restore(restoration, StateMachineHarness.PODS, 11, Instant.EPOCH, Instant.EPOCH);
        filled.complete(null);
        close(removed);

        assertThat(budget.used()).isZero();
    }

    @Test
    void first_audit_runs_one_interval_after_the_first_synchronization() throws Exception {
        synchronizes().listsPage(110, null, object("a/x", 101));
        BlockingQueue<Duration> waits = new LinkedBlockingQueue<>();
        Semaphore ends = new Semaphore(0);
        Reflector audited = audited(Duration.ofMinutes(5), waits, ends);
        audited.start();

        Duration first = waits.poll(30, TimeUnit.SECONDS);
        assertThat(first).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(6));
        assertThat(mirror.snapshot()).isPresent();
        awaitWatch();
        assertThat(api.lists).hasSize(1);

        ends.release();
        Duration second = waits.poll(30, TimeUnit.SECONDS);
        assertThat(second).isNotEqualTo(first);
        assertThat(audited.counts().get(Counter.AUDITS_CONSISTENT)).isOne();
    }

    @Test
    void audits_continue_after_an_unexpected_exception() throws Exception {
        api.listsPage(110, null).answersWatch(Result.of(stream));
        BlockingQueue<Duration> waits = new LinkedBlockingQueue<>();
        Semaphore ends = new Semaphore(0);
        Reflector audited = audited(Duration.ofMinutes(5), waits, ends);
        audited.start();
        awaitWatch();
        assertThat(waits.poll(30, TimeUnit.SECONDS)).isNotNull();

        // The fake has no answer to it.
        ends.release();

        assertThat(waits.poll(30, TimeUnit.SECONDS)).isNotNull();
        assertThat(api.lists).hasSize(2);
    }

    @Test
    void reflector_without_audits_sends_no_further_lists() throws Exception {
        api.listsPage(110, null).answersWatch(Result.of(stream));
        BlockingQueue<Duration> waits = new LinkedBlockingQueue<>();
        Reflector unaudited = audited(Duration.ZERO, waits, new Semaphore(0));
        unaudited.start();
        awaitWatch();
        close(unaudited);
        assertThat(waits).isEmpty();
        assertThat(api.lists).hasSize(1);
    }

    private Reflector audited(Duration interval, BlockingQueue<Duration> waits, Semaphore ends) {
        return reflector(
                ReflectorEnvironments.timeouts(Duration.ZERO, interval),
                ReflectorEnvironments.alone(
                        InstantSource.system(),
                        new Random(1),
                        wait -> {
                            waits.add(wait);
                            ends.acquire();
                        }));
    }

    @Test
    void close_returns_after_its_timeout_if_the_reflector_ignores_interrupts() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CompletableFuture<Void> answered = new CompletableFuture<>();
        api.listsPage(110, null).answersWatch(new Failure.Malformed("as scripted"));
        api.beforeAnswer(
                () -> {
                    asked.countDown();
                    answered.join();
                });
        reflector.start();
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();

        reflector.stop();
        reflector.awaitEnd(Duration.ofMillis(1));

        assertThat(mirror.upstream().phase()).isNotEqualTo(Phase.STOPPED);
        answered.complete(null);
        close(reflector);
        assertThat(mirror.upstream().phase()).isEqualTo(Phase.STOPPED);
    }

    private static void close(Reflector stopped) {
        stopped.stop();
        Reflector.awaitEnd(List.of(stopped));
    }

    /** A stream on which nothing happens until its reader is interrupted. */
    private static final class SilentStream implements WatchStream {

        final CountDownLatch read = new CountDownLatch(1);
        final CountDownLatch closed = new CountDownLatch(1);

        @Override
        public WatchFrame next() {
            read.countDown();
            try {
                closed.await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            return new WatchFrame.Broken("interrupted", BrokenKind.CUT);
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }
}
