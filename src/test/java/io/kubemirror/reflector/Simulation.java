package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Source;
import io.kubemirror.source.StoredFields;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.ReflectorEnvironments;

/**
 * Virtual time, and the events on and around a simulated server. One source of randomness on one
 * thread determines everything.
 */
final class Simulation {

    static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    /** The maximum number of changes between two requests. */
    private static final int MOVES_AT_ONCE = 6;

    private static final int LOG_LENGTH = 80;

    /** So small that nearly every list has several pages. */
    private static final int PAGE = 3;

    private final RandomGenerator random;
    private final SimulatedServer server;
    private final FaultPlan faultPlan;

    /** The last steps. */
    private final Deque<LogEntry> log = new ArrayDeque<>();

    private final List<SimulatedWatch> watches = new ArrayList<>();
    private Instant now = BEGIN;
    private long told;
    private int moves;
    private Instant stableUntil = BEGIN;
    private boolean calm;

    Simulation(RandomGenerator random) {
        this.random = random;
        this.server = new SimulatedServer(random);
        this.faultPlan = new FaultPlan(random);
    }

    RandomGenerator random() {
        return random;
    }

    /** An empty mirror of a part of the collection. */
    Mirror mirror(SelectionFilter scope, Window window) {
        return new Mirror(
                new Scope(new ResourceName("widgets"), scope.selection()),
                window,
                Mirrors.READS,
                Runnable::run,
                this::nanos);
    }

    /** A state machine that lives in this time. */
    StateMachine machine(
            Source api, MirrorWriter writer, Strategy strategy, ReflectorCounts counts) {
        return new StateMachine(
                api,
                writer,
                ReflectorEnvironments.settings(
                        strategy,
                        PAGE,
                        StoredFields.ALL,
                        List.of(),
                        ReflectorEnvironments.timeouts()),
                ReflectorEnvironments.alone(this::now, new SplittableRandom(1), this::pass),
                counts);
    }

    /** Returns a random element. */
    <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    SimulatedServer server() {
        return server;
    }

    FaultPlan faultPlan() {
        return faultPlan;
    }

    Instant now() {
        return now;
    }

    long nanos() {
        return Duration.between(BEGIN, now).toNanos();
    }

    /** How much has happened. */
    int moves() {
        return moves;
    }

    /** The newest revision that a stream has sent since the last list, 0 if none has. */
    long told() {
        return told;
    }

    void tell(Revision revision) {
        told = Math.max(told, Long.parseLong(revision.digits()));
    }

    /** A list begins, so revisions of earlier streams do not count. */
    void startOver() {
        told = 0;
    }

    /** The streams that neither side has ended. */
    long openWatches() {
        return watches.stream().filter(SimulatedWatch::isOpen).count();
    }

    void opened(SimulatedWatch watch) {
        watches.removeIf(old -> !old.isReadable());
        watches.add(watch);
    }

    /**
     * Notes a step.
     *
     * @param what something immutable
     */
    void note(Object who, Object what) {
        if (log.size() == LOG_LENGTH) {
            log.removeFirst();
        }
        log.addLast(new LogEntry(now, who, what));
    }

    /** The last steps, line by line. */
    String transcript() {
        return log.stream().map(LogEntry::toString).collect(Collectors.joining("\n"));
    }

    /** A step, which is printed only if the history fails. */
    private record LogEntry(Instant when, Object who, Object what) {
        @Override
        public String toString() {
            return "%10.3f s  %-10s %s"
                    .formatted(Duration.between(BEGIN, when).toMillis() / 1000.0, who, what);
        }
    }

    /** Advances the time; the longer, the more happens. */
    void pass(Duration duration) {
        long steps = Math.min(MOVES_AT_ONCE, 1 + duration.toSeconds() / 5);
        for (int i = 0; i < steps; i++) {
            now = now.plus(duration.dividedBy(steps));
            if (random.nextInt(3) > 0) {
                move();
            }
        }
    }

    /** Ends all faults, and changes objects on request only. */
    void stopFaults() {
        calm = true;
        faultPlan.stopFaults();
    }

    /** A few objects change. */
    void write(int times) {
        for (int i = 0; i < times; i++) {
            server.write();
        }
    }

    /**
     * Restores a backup with earlier revisions, but not while earlier changes have not been read,
     * because they could not be distinguished from later ones.
     */
    void restore(long known) {
        if (server.present() && watches.stream().noneMatch(SimulatedWatch::hasBacklog)) {
            server.restore(known);
            sever();
            note("server", "RESTORED to " + server.now().revision());
        }
    }

    private void move() {
        if (!calm) {
            moves++;
            changeFaults();
            change(random.nextInt(1_000));
            watches.forEach(watch -> faultPlan.disturbance().ifPresent(watch::disturb));
        }
        watches.forEach(watch -> watch.receive(random.nextInt(4)));
    }

    /** Changes the faults. Some last for minutes, because some show only after a while. */
    private void changeFaults() {
        if (now.isAfter(stableUntil)) {
            faultPlan.change();
            stableUntil = now.plusMillis(random.nextInt(random.nextInt(1, 150_000)));
            note("weather", faultPlan.toString());
        }
    }

    private void change(int choice) {
        if (choice < 600) {
            write(1);
        } else if (choice < 640) {
            write(random.nextInt(40));
        } else if (choice < 740) {
            server.elsewhere();
        } else if (choice < 800) {
            server.compact();
        } else if (choice < 900) {
            watches.forEach(SimulatedWatch::bookmark);
        } else if (choice > 975) {
            injectFault(choice);
        }
    }

    /** What happens rarely, and never while the server has yet to be found out. */
    private void injectFault(int choice) {
        if (server.isUnnoticed()) {
            return;
        }
        if (!server.present() || choice < 985) {
            toggle();
        } else if (choice < 990) {
            server.upgrade();
            sever();
            note("server", "UPGRADED to " + server.type().version());
        } else {
            server.restoreAbove();
            sever();
            note("server", "RESTORED above, to " + server.now().revision());
        }
    }

    private void toggle() {
        if (server.present()) {
            server.uninstall();
            watches.forEach(SimulatedWatch::finish);
        } else {
            server.install();
        }
        note("server", server.present() ? "INSTALLED" : "UNINSTALLED");
    }

    private void sever() {
        watches.forEach(SimulatedWatch::sever);
    }

    /** What a request fails with, if it does. */
    Optional<Failure> failure(FaultPlan.FaultVerb verb) {
        return faultPlan.failure(verb);
    }
}
