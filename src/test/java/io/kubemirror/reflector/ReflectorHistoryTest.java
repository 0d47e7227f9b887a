package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror;
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
            throws InterruptedException {
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
    void same_seed_reproduces_the_same_history() throws InterruptedException {
        for (long seed = 0; seed < 20; seed++) {
            assertThat(transcript(seed)).isNotEmpty().isEqualTo(transcript(seed));
        }
    }

    private static String transcript(long seed) throws InterruptedException {
        ReflectorHistory history = new ReflectorHistory(Strategy.AUTO, seed);
        history.run();
        return history.transcript();
    }

    /** Histories in which nothing goes wrong would prove nothing. */
    @Test
    void random_histories_exercise_every_counter() throws InterruptedException {
        // These servers lose no event.
        Set<Counter> missing = EnumSet.complementOf(EnumSet.of(Counter.AUDITS_DIFFERENT));
        for (long seed = 0; seed < 100; seed++) {
            ReflectorHistory history = new ReflectorHistory(Strategy.AUTO, seed);
            history.run();
            missing.removeIf(counter -> history.counts().get(counter) > 0);
        }
        assertThat(missing).isEmpty();
    }

    /**
     * A random history: a reflector, its mirror, a few local clients, and a server with faults,
     * until the faults end. The same seed is the same history.
     */
    private static final class ReflectorHistory {

        /** The number of random steps before the faults end. */
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

        private final long seed;
        private final RandomGenerator random;
        private final Simulation simulation;
        private final Strategy strategy;
        private final SelectionFilter scope;
        private final SimulatedSource api;
        private final Mirror mirror;
        private final StateMachine machine;
        private final Auditor auditor;
        private final HistoryPosition historyPosition;
        private final List<LocalClient> clients;
        private ReflectorState state = new ReflectorState.Resolving();
        private final ReflectorCounts counts = new ReflectorCounts();
        private int steps;

        ReflectorHistory(Strategy strategy, long seed) {
            this.strategy = strategy;
            this.seed = seed;
            random = new SplittableRandom(seed);
            simulation = new Simulation(random);
            scope = simulation.any(SelectionFilter.SCOPES);
            api = new SimulatedSource(simulation, scope, behavior());
            Window window = simulation.any(WINDOWS);
            mirror = simulation.mirror(scope, window);
            MirrorWriter writer = Mirrors.writer(mirror, simulation::nanos);
            machine = simulation.machine(api, writer, strategy, counts);
            auditor = new Auditor(machine);
            historyPosition =
                    new HistoryPosition(mirror, window, scope, simulation.server().timelines());
            clients = LocalClient.several(mirror, historyPosition, simulation);
        }

        private ServerBehavior behavior() {
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

        /**
         * Runs the random steps, and then waits until the mirror is up to date.
         *
         * @throws AssertionError with the last steps if a guarantee is broken
         */
        void run() throws InterruptedException {
            try {
                simulation.write(random.nextInt(30));
                while (simulation.moves() < MOVES) {
                    disturb();
                    step();
                    for (LocalClient client : clients) {
                        client.act();
                    }
                }
                stopFaults();
                check();
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError(this + "\n" + transcript() + "\n" + failure, failure);
            }
        }

        private void step() throws InterruptedException {
            state = machine.step(state);
            steps++;
            historyPosition.look();
            if (mirror.revision().compareTo(simulation.server().revision()) <= 0) {
                simulation.server().noticed();
            }
            if (simulation.openWatches() > 1) {
                throw new AssertionError("Bounded: a second watch was opened beside the first");
            }
        }

        /**
         * A backup is restored only while nothing else is under way that could be mixed up with it.
         */
        private void disturb() {
            boolean atRest =
                    state instanceof ReflectorState.Watching
                            || state instanceof ReflectorState.BackingOff;
            if (atRest && !simulation.server().isUnnoticed() && random.nextInt(250) == 0) {
                simulation.restore(Long.parseLong(mirror.revision().digits()));
            }
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

        /** Ends all faults: soon the mirror is up to date, and stays so while objects change. */
        private void stopFaults() throws InterruptedException {
            simulation.stopFaults();
            for (int i = 0; i < 3; i++) {
                awaitConsistency();
                simulation.write(random.nextInt(6));
            }
            awaitConsistency();
            for (LocalClient client : clients) {
                if (mirror.snapshot().isPresent()) {
                    client.catchUp();
                }
            }
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

        private boolean isTrue() {
            return Guarantees.isUpToDate(mirror, simulation.server(), scope);
        }

        private void check() {
            Guarantees.bounded(api.simulatedRequests())
                    .ifPresent(
                            violation -> {
                                throw new AssertionError("Bounded: " + violation);
                            });
            clients.forEach(client -> client.check(scope));
        }

        ReflectorCounts counts() {
            return counts;
        }

        /** The last steps. */
        String transcript() {
            return simulation.transcript();
        }

        @Override
        public String toString() {
            return "history %d of %s of %s: %d steps, mirror at %s, server at %s"
                    .formatted(
                            seed,
                            strategy,
                            scope,
                            steps,
                            mirror.revision(),
                            simulation.server().revision());
        }
    }
}
