package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.reflector.Auditor.Audit;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.SimulatedSource.ServerBehavior;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.SilentLog;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the guarantees of the design ({@code src/docs/design.md}, "What tests must show") on seeded
 * random histories from a faulty server to local clients.
 *
 * <p>A failure prints its seed and its last steps. {@code -Dhistory=17} runs that history only,
 * {@code -Dhistories=50000} sets the number of histories for each strategy.
 */
@ExtendWith(SilentLog.class)
class ReflectorHistoryTest {

    private static final int HISTORIES = Integer.getInteger("histories", 700);
    private static final Long ONLY = Long.getLong("history");

    @ParameterizedTest
    @EnumSource(Strategy.class)
    void mirror_keeps_its_guarantees_in_random_histories_with_faults(Strategy strategy)
            throws InterruptedException, IOException {
        if (ONLY != null) {
            new ReflectorHistory(strategy, ONLY).run();
            return;
        }
        for (long seed = 0; seed < HISTORIES; seed++) {
            new ReflectorHistory(strategy, seed).run();
        }
    }

    /** A failure must be reproducible. */
    @Test
    void same_seed_reproduces_the_same_history() throws InterruptedException, IOException {
        for (long seed = 0; seed < 20; seed++) {
            assertThat(transcript(seed)).isNotEmpty().isEqualTo(transcript(seed));
        }
    }

    private static String transcript(long seed) throws InterruptedException, IOException {
        ReflectorHistory history = new ReflectorHistory(Strategy.AUTO, seed);
        history.run();
        return history.simulation.transcript();
    }

    /** Histories in which nothing goes wrong would prove nothing. */
    @Test
    void random_histories_exercise_every_counter() throws InterruptedException, IOException {
        // These servers lose no event.
        Set<Counter> missing = EnumSet.complementOf(EnumSet.of(Counter.AUDITS_DIFFERENT));
        for (long seed = 0; seed < 100; seed++) {
            ReflectorHistory history = new ReflectorHistory(Strategy.AUTO, seed);
            history.run();
            missing.removeIf(counter -> history.counts.get(counter) > 0);
        }
        assertThat(missing).isEmpty();
    }

    /** A history of one process. */
    private static final class ReflectorHistory extends RandomHistory {

        private static final int MOVES = 200;

        private static final List<Window> WINDOWS =
                List.of(
                        new Window(8, 32, Duration.ofSeconds(75), 1 << 20),
                        new Window(8, 64, Duration.ofSeconds(75), 1 << 20),
                        new Window(4, 32, Duration.ofSeconds(75), 30_000));

        /**
         * The time until the mirror must be up to date: a dead connection is noticed after ten
         * minutes, and the longest wait is a minute.
         */
        private static final Duration CALM = Duration.ofMinutes(15);

        private static final int CALM_REQUESTS = 20;
        private static final int CALM_STEPS = 200;

        private final ReflectorCounts counts = new ReflectorCounts();
        private final StateMachine machine;
        private final Auditor auditor;
        private int steps;

        ReflectorHistory(Strategy strategy, long seed) {
            super(seed, WINDOWS, random -> behavior(strategy, random));
            MirrorWriter writer = Mirrors.writer(mirror, simulation::nanos);
            machine = simulation.machine(api, writer, strategy, counts);
            auditor = new Auditor(machine);
        }

        private static ServerBehavior behavior(Strategy strategy, RandomGenerator random) {
            // A server for which watch-lists are configured supports them.
            boolean streams = strategy == Strategy.WATCH_LIST || random.nextBoolean();
            Duration patience = Duration.ofSeconds(random.nextInt(4) == 0 ? 6 : 600);
            return new ServerBehavior(
                    streams,
                    patience,
                    random.nextBoolean(),
                    random.nextBoolean(),
                    random.nextInt(4) == 0);
        }

        void run() throws InterruptedException, IOException {
            run(MOVES);
            Guarantees.bounded(api.simulatedRequests())
                    .ifPresent(
                            violation -> {
                                throw new AssertionError("Bounded: " + violation);
                            });
        }

        @Override
        StateMachine machine() {
            return machine;
        }

        @Override
        void step() throws InterruptedException {
            super.step();
            steps++;
            if (simulation.openWatches() > 1) {
                throw new AssertionError("Bounded: a second watch was opened beside the first");
            }
        }

        @Override
        void disturb() {
            restoreServer(250);
            if (random.nextInt(100) == 0) {
                audit();
            }
        }

        /** The mirror shows nothing but true states, so an audit finds no difference. */
        private void audit() {
            if (auditor.check() instanceof Audit.Different(var how) && how.contains("missing")) {
                throw new AssertionError("Faithful: " + how);
            }
        }

        /** Soon the mirror is up to date, and stays so while objects change. */
        @Override
        void stopFaults() throws InterruptedException {
            simulation.stopFaults();
            for (int i = 0; i < 3; i++) {
                awaitConsistency();
                simulation.write(random.nextInt(6));
            }
            awaitConsistency();
        }

        private void awaitConsistency() throws InterruptedException {
            int requests = api.simulatedRequests().size();
            int last = steps + CALM_STEPS;
            Instant latest = simulation.now().plus(CALM);
            while (!isTrue()) {
                step();
                if (simulation.server().isUnnoticed()) {
                    audit();
                }
                if (steps > last
                        || simulation.now().isAfter(latest)
                        || api.simulatedRequests().size() > requests + CALM_REQUESTS) {
                    throw new AssertionError(
                            "Faithful: still not after %d requests in calm weather"
                                    .formatted(api.simulatedRequests().size() - requests));
                }
            }
        }
    }
}
