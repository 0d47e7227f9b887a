package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.SimulatedSource.ServerBehavior;
import io.kubemirror.testing.Mirrors;

/**
 * A random history in which the process is killed again and again: the next one continues from what
 * is on disk at that moment, of which the last write may be torn. The clients stay.
 */
public final class RestartHistory extends RandomHistory {

    /** What is on disk for a process. */
    public interface Storage {

        /** Restores the mirror of a writer. */
        void restore(MirrorWriter writer);

        /** Stores what the mirror has. */
        void store() throws InterruptedException;

        /** The process is killed. */
        void leave();

        /** The history is over. */
        void stop();
    }

    /** Opens the directory of a process. */
    @FunctionalInterface
    public interface Disk {

        Storage open(Path directory, InstantSource clock, LongSupplier nanos);
    }

    private static final int MOVES = 300;
    private static final int CALM_STEPS = 400;

    private static final List<Window> WINDOWS =
            List.of(new Window(8, 64, Duration.ofSeconds(75), 1 << 20));

    private final Disk disk;
    private final Path parent;
    private Path directory;
    private Storage persistence;
    private StateMachine machine;
    private int kills;
    private int restored;

    /** Creates the history of a seed, with the directories of its processes in another one. */
    public RestartHistory(Disk disk, Path parent, long seed)
            throws IOException, InterruptedException {
        super(
                seed,
                WINDOWS,
                random ->
                        new ServerBehavior(
                                random.nextBoolean(),
                                Duration.ofMinutes(10),
                                true,
                                random.nextBoolean(),
                                /* coalesces= */ false));
        this.disk = disk;
        this.parent = parent;
        directory = Files.createTempDirectory(parent, "process");
        persistence = persistence();
        machine = restoredMachine();
    }

    private Storage persistence() {
        return disk.open(directory, simulation::now, simulation::nanos);
    }

    private StateMachine restoredMachine() throws InterruptedException {
        MirrorWriter writer = Mirrors.writer(mirror, simulation::nanos);
        persistence.restore(writer);
        restored += mirror.snapshot().isPresent() ? 1 : 0;
        return simulation.machine(api, writer, Strategy.AUTO, new ReflectorCounts());
    }

    @Override
    StateMachine machine() {
        return machine;
    }

    /** How often the process was killed. */
    public int kills() {
        return kills;
    }

    /** How often the next process had the content of the last one. */
    public int restored() {
        return restored;
    }

    /**
     * Runs the history.
     *
     * @throws AssertionError with the last steps if a guarantee is broken
     */
    public void run() throws InterruptedException, IOException {
        try {
            run(MOVES);
        } finally {
            persistence.stop();
        }
    }

    @Override
    void stopFaults() throws InterruptedException, IOException {
        simulation.stopFaults();
        kill();
        for (int i = 0; i < CALM_STEPS && !(isTrue() && isAtClients()); i++) {
            step();
        }
        if (!isTrue()) {
            throw new AssertionError("Faithful: not up to date after the last restart");
        }
        if (!isAtClients()) {
            throw new AssertionError("Reached: a client still waits after the last restart");
        }
    }

    /** A client that the last process told a revision waits until the mirror has reached it. */
    private boolean isAtClients() {
        Revision present = simulation.server().revision();
        return mirror.snapshot().isEmpty()
                || clients.stream()
                        .map(LocalClient::told)
                        .noneMatch(
                                told -> told.isAfter(mirror.revision()) && !told.isAfter(present));
    }

    @Override
    void disturb() throws InterruptedException, IOException {
        // A client that is ahead of the mirror cannot be told from one of a lost history.
        if (clients.stream().noneMatch(client -> client.told().isAfter(mirror.revision()))) {
            restoreServer(300);
        }
        if (random.nextInt(4) == 0) {
            persistence.store();
        }
        if (random.nextInt(25) == 0) {
            kill();
        }
    }

    /** Ends the process and starts another one with a copy of its directory. */
    private void kill() throws InterruptedException, IOException {
        if (simulation.server().isUnnoticed()) {
            persistence.store();
            if (!isStored()) {
                // Nobody could tell the next process that the server went back.
                return;
            }
        }
        kills++;
        simulation.note("process", "KILLED at " + mirror.revision());
        Path copy = Files.createTempDirectory(parent, "process");
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(one -> !one.endsWith("lock")).toList()) {
                tear(Files.copy(file, copy.resolve(file.getFileName())));
            }
        }
        machine.stop(state);
        persistence.leave();
        directory = copy;
        persistence = persistence();
        Revision before = mirror.revision();
        mirror = simulation.mirror(scope, window);
        machine = restoredMachine();
        state = machine.first();
        if (mirror.revision().isAfter(before)) {
            throw new AssertionError("a revision that was not there: " + mirror.revision());
        }
        simulation.note("process", "RESTORED at " + mirror.revision());
        historyPosition.restarted(mirror);
        clients.forEach(client -> client.restarted(mirror));
    }

    private boolean isStored() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.anyMatch(file -> file.toString().endsWith(".mirror"));
        }
    }

    /** The last write of the killed process may be incomplete, unless a server was restored. */
    private void tear(Path file) throws IOException {
        if (!simulation.server().isUnnoticed() && random.nextInt(3) == 0) {
            try (RandomAccessFile written = new RandomAccessFile(file.toFile(), "rw")) {
                written.setLength(Math.max(0, written.length() - random.nextInt(120)));
            }
        }
    }
}
