package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Window;
import io.kubemirror.reflector.SimulatedSource.ServerBehavior;

/**
 * A random history: a reflector, its mirror, a few local clients, and a server with faults, until
 * the faults end. The same seed is the same history.
 */
abstract class RandomHistory {

    private static final int CLIENTS = 5;

    final long seed;
    final RandomGenerator random;
    final Simulation simulation;
    final SelectionFilter scope;
    final SimulatedSource api;
    final Window window;
    final HistoryPosition historyPosition;
    final List<LocalClient> clients;
    Mirror mirror;
    ReflectorState state = new ReflectorState.Resolving();

    RandomHistory(
            long seed, List<Window> windows, Function<RandomGenerator, ServerBehavior> behavior) {
        this.seed = seed;
        random = new SplittableRandom(seed);
        simulation = new Simulation(random);
        scope = simulation.any(SelectionFilter.SCOPES);
        api = new SimulatedSource(simulation, scope, behavior.apply(random));
        window = simulation.any(windows);
        mirror = simulation.mirror(scope, window);
        historyPosition =
                new HistoryPosition(mirror, window, scope, simulation.server().timelines());
        clients = Stream.generate(this::client).limit(CLIENTS).toList();
    }

    /** A client with a random filter; some are too slow. */
    private LocalClient client() {
        int zeal = simulation.any(List.of(3, 20, 60, 100));
        SelectionFilter filter = simulation.any(SelectionFilter.CLIENTS);
        return new LocalClient(mirror, historyPosition, scope, filter, random, zeal);
    }

    /** The machine of the present process. */
    abstract StateMachine machine();

    /** Something else may happen between two steps. */
    abstract void disturb() throws InterruptedException, IOException;

    /** Ends all faults, and waits until the mirror is up to date. */
    abstract void stopFaults() throws InterruptedException, IOException;

    /**
     * Runs the random steps, and then waits until the mirror is up to date.
     *
     * @param moves the number of random steps before the faults end
     * @throws AssertionError with the last steps if a guarantee is broken
     */
    final void run(int moves) throws InterruptedException, IOException {
        try {
            simulation.write(random.nextInt(30));
            while (simulation.moves() < moves) {
                disturb();
                step();
                for (LocalClient client : clients) {
                    client.act();
                }
            }
            stopFaults();
            for (LocalClient client : clients) {
                if (mirror.snapshot().isPresent()) {
                    client.catchUp();
                }
            }
        } catch (AssertionError | RuntimeException failure) {
            throw new AssertionError(
                    "history %d of %s, mirror at %s, server at %s\n%s\n%s"
                            .formatted(
                                    seed,
                                    scope,
                                    mirror.revision(),
                                    simulation.server().revision(),
                                    simulation.transcript(),
                                    failure),
                    failure);
        }
    }

    void step() throws InterruptedException {
        state = machine().step(state);
        historyPosition.look();
        if (mirror.snapshot().isPresent()
                && mirror.revision().compareTo(simulation.server().revision()) <= 0) {
            simulation.server().noticed();
        }
    }

    /**
     * Restores a backup of the server, one time of so many, but only while nothing else is under
     * way that could be mixed up with it.
     */
    final void restoreServer(int odds) {
        boolean atRest =
                state instanceof ReflectorState.Watching
                        || state instanceof ReflectorState.BackingOff;
        if (atRest && !simulation.server().isUnnoticed() && random.nextInt(odds) == 0) {
            simulation.restore(Long.parseLong(mirror.revision().digits()));
        }
    }

    final boolean isTrue() {
        return Guarantees.isUpToDate(mirror, simulation.server(), scope);
    }
}
