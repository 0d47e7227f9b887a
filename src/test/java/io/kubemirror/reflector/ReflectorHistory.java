package io.kubemirror.reflector;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.reflector.SimulatedKubeApi.Habits;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * A reflector, its mirror and a few local clients between them and a server on which anything may
 * happen, until at last nothing does. The same seed is the same history.
 */
final class ReflectorHistory {

    /** A page holds so few objects that nearly every list has several. */
    private static final int PAGE = 3;

    /** So much happens on the server and around it before it is left in peace. */
    private static final int MOVES = 200;

    private static final List<Window> WINDOWS =
            List.of(
                    new Window(8, 32, Duration.ofSeconds(75), 1 << 20),
                    new Window(8, 64, Duration.ofSeconds(75), 1 << 20),
                    new Window(4, 32, Duration.ofSeconds(75), 30_000));

    /**
     * How soon the mirror must be true then: a dead connection is noticed after ten minutes, and
     * the longest rest is a minute.
     */
    private static final Duration CALM = Duration.ofMinutes(15);

    private static final int CALM_REQUESTS = 20;
    private static final int CALM_STEPS = 200;

    private final long seed;
    private final RandomGenerator random;
    private final World world;
    private final Strategy strategy;
    private final Filter scope;
    private final SimulatedKubeApi api;
    private final Mirror mirror;
    private final Machine machine;
    private final Course course;
    private final List<LocalClient> clients = new ArrayList<>();
    private State state = new State.Resolving();
    private final ReflectorCounts counts = new ReflectorCounts();
    private int steps;

    ReflectorHistory(Strategy strategy, long seed) {
        this.strategy = strategy;
        this.seed = seed;
        random = new SplittableRandom(seed);
        world = new World(random);
        scope = any(Filter.SCOPES);
        api = new SimulatedKubeApi(world, scope, habits());
        Window window = any(WINDOWS);
        mirror =
                new Mirror(
                        new Scope(new ResourceName("widgets"), scope.selection()),
                        window,
                        Runnable::run);
        machine = machine();
        course = new Course(mirror, window, scope, world.server().timelines());
        for (int i = 0; i < 5; i++) {
            int zeal = any(List.of(3, 20, 60, 100));
            clients.add(new LocalClient(mirror, course, any(Filter.CLIENTS), random, zeal));
        }
    }

    private Habits habits() {
        // Whoever configures watch-lists has a server that knows them.
        boolean streams = strategy == Strategy.WATCH_LIST || random.nextBoolean();
        Duration patience = Duration.ofSeconds(random.nextInt(4) == 0 ? 6 : 600);
        return new Habits(
                streams,
                patience,
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextInt(4) == 0);
    }

    private Machine machine() {
        return new Machine(
                new Equipment(
                        api,
                        new MirrorWriter(mirror, world::nanos),
                        new ReflectorSettings(strategy, PAGE, List.of(), List.of()),
                        new Surroundings(world::now, new SplittableRandom(1), world::pass),
                        counts));
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /**
     * Lets so much happen, and then waits until the mirror is true again.
     *
     * @throws AssertionError with the last steps if a guarantee is broken
     */
    void run() throws InterruptedException {
        try {
            world.write(random.nextInt(30));
            while (world.moves() < MOVES) {
                disturb();
                step();
                for (LocalClient client : clients) {
                    client.act();
                }
            }
            calmDown();
            check();
        } catch (AssertionError | RuntimeException failure) {
            throw new AssertionError(this + "\n" + chronicle() + "\n" + failure, failure);
        }
    }

    private void step() throws InterruptedException {
        state = machine.step(state);
        steps++;
        course.look();
        if (mirror.revision().compareTo(present()) <= 0) {
            world.server().noticed();
        }
        if (world.openWatches() > 1) {
            throw new AssertionError("Bounded: a second watch was opened beside the first");
        }
    }

    /** A backup is restored only while nothing else is under way that could be mixed up with it. */
    private void disturb() {
        boolean atRest = state instanceof State.Watching || state instanceof State.Resting;
        if (atRest && !world.server().isUnnoticed() && random.nextInt(250) == 0) {
            world.restore(Long.parseLong(mirror.revision().digits()));
        }
    }

    private Revision present() {
        return new Revision(Long.toString(world.server().now().revision()));
    }

    /** Nothing goes wrong any more: soon the mirror is true, and stays so while objects change. */
    private void calmDown() throws InterruptedException {
        world.calmDown();
        for (int i = 0; i < 3; i++) {
            awaitTruth();
            world.write(random.nextInt(6));
        }
        awaitTruth();
        for (LocalClient client : clients) {
            if (mirror.snapshot().isPresent()) {
                client.catchUp();
            }
        }
    }

    private void awaitTruth() throws InterruptedException {
        int requests = api.traffic().size();
        int last = steps + CALM_STEPS;
        Instant latest = world.now().plus(CALM);
        while (!isTrue()) {
            step();
            if (steps > last
                    || world.now().isAfter(latest)
                    || api.traffic().size() > requests + CALM_REQUESTS) {
                throw new AssertionError(
                        "Faithful: still not after %d requests in calm weather"
                                .formatted(api.traffic().size() - requests));
            }
        }
    }

    private boolean isTrue() {
        if (!world.server().present()) {
            return mirror.snapshot().isEmpty();
        }
        return mirror.snapshot()
                .map(
                        snapshot ->
                                Guarantees.faithful(
                                                snapshot.objects(),
                                                new Moment(world.server().now(), present()),
                                                scope)
                                        .isEmpty())
                .orElse(false);
    }

    private void check() {
        Guarantees.bounded(api.traffic())
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
    String chronicle() {
        return world.chronicle().toString();
    }

    @Override
    public String toString() {
        return "history %d of %s of %s: %d steps, mirror at %s, server at %s"
                .formatted(seed, strategy, scope, steps, mirror.revision(), present());
    }
}
