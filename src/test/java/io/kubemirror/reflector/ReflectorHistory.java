package io.kubemirror.reflector;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.reflector.Auditor.Audit;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.SimulatedSource.ServerBehavior;
import io.kubemirror.source.ObjectTransform;
import io.kubemirror.testing.ReflectorEnvironments;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * A random history: a reflector, its mirror, a few local clients, and a server with faults, until
 * the faults end. The same seed is the same history.
 */
final class ReflectorHistory {

    /** So small that nearly every list has several pages. */
    private static final int PAGE = 3;

    /** The number of random steps before the faults end. */
    private static final int MOVES = 200;

    private static final List<Window> WINDOWS =
            List.of(
                    new Window(8, 32, Duration.ofSeconds(75), 1 << 20),
                    new Window(8, 64, Duration.ofSeconds(75), 1 << 20),
                    new Window(4, 32, Duration.ofSeconds(75), 30_000));

    /**
     * The time until the mirror must be up to date: a dead connection is noticed after ten minutes,
     * and the longest wait is a minute.
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
        mirror =
                new Mirror(
                        new Scope(new ResourceName("widgets"), scope.selection()),
                        window,
                        Runnable::run,
                        System::nanoTime);
        ReflectorSettings settings =
                ReflectorEnvironments.settings(
                        strategy,
                        PAGE,
                        ObjectTransform.NONE,
                        List.of(),
                        ReflectorEnvironments.timeouts());
        ReflectorEnvironment environment =
                ReflectorEnvironments.alone(
                        simulation::now, new SplittableRandom(1), simulation::pass);
        machine =
                new StateMachine(
                        api,
                        new MirrorWriter(mirror, simulation::nanos),
                        settings,
                        environment,
                        counts);
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

    /** A backup is restored only while nothing else is under way that could be mixed up with it. */
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
        if (auditor.check() instanceof Audit.Different different) {
            throw new AssertionError("Faithful: " + different);
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
        return simulation.stepLog().toString();
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
