package io.kubemirror.history;

import module java.base;

import io.kubemirror.history.Fault.Kind;
import io.kubemirror.testing.real.RealApiServer;

import org.jspecify.annotations.Nullable;

/** Lets things go wrong, one after the other, in an order that a seed decides. */
final class Faults {

    /** The longest time for which watches are late, in milliseconds. */
    private static final int LATE = 8_000;

    /** The most by which a clock is wrong, in seconds. */
    private static final int STEP = 7_200;

    private final History history;
    private final List<Replica> replicas;
    private final RealApiServer server;
    private final EtcdWatch etcd;
    private final Permissions permissions;
    private final Random random;
    private final Consumer<Replica> sampler;
    private final Map<Kind, Integer> counts = new TreeMap<>();
    private final List<Thread> open = new ArrayList<>();
    private @Nullable Path backup;

    /**
     * Prepares.
     *
     * @param sampler adds a sample of a replica, as before it is killed
     */
    Faults(
            History history,
            List<Replica> replicas,
            RealApiServer server,
            EtcdWatch etcd,
            Permissions permissions,
            Random random,
            Consumer<Replica> sampler) {
        this.sampler = sampler;
        this.history = history;
        this.replicas = List.copyOf(replicas);
        this.server = server;
        this.etcd = etcd;
        this.permissions = permissions;
        this.random = random;
    }

    /** How often each has happened. */
    Map<String, Integer> counts() {
        Map<String, Integer> named = new TreeMap<>();
        counts.forEach((kind, count) -> named.put(kind.name(), count));
        return named;
    }

    /**
     * Causes faults until a time, and returns when all is well again.
     *
     * @param backedUp whether {@link #restore} is possible afterward
     */
    void run(long until, boolean backedUp) throws IOException, InterruptedException {
        pause(2_000);
        if (backedUp) {
            backUp();
        }
        while (System.nanoTime() < until) {
            Kind kind = List.of(Kind.values()).get(random.nextInt(Kind.values().length));
            Replica replica = replicas.get(random.nextInt(replicas.size()));
            if (!isPossible(kind, replica)) {
                continue;
            }
            happen(kind, replica);
            pause(300 + random.nextInt(1_500));
        }
    }

    private boolean isPossible(Kind kind, Replica replica) {
        return switch (kind) {
            case RESTORE -> false;
            case FILL_DISK -> replica.disk().isSmall();
            case REVOKE -> !permissions.isRevoked();
            default -> true;
        };
    }

    private void happen(Kind kind, Replica replica) throws IOException, InterruptedException {
        counts.merge(kind, 1, Integer::sum);
        long from = System.nanoTime();
        switch (kind) {
            case KILL -> kill(replica, false);
            case TEAR -> kill(replica, true);
            case STOP -> stop(replica);
            case CUT_CLIENTS -> replica.clients().cut();
            case CUT_UPSTREAM -> replica.upstream().cut();
            case PARTITION -> partition(replica);
            case HOLD_UPSTREAM -> held(replica, replica.upstream(), 1_000 + random.nextInt(4_000));
            case LAG -> lag(replica);
            case HOLD_CLIENTS -> held(replica, replica.clients(), 200 + random.nextInt(1_500));
            case RESTART_SERVER -> server.restart();
            case RESTART_ETCD -> restartEtcd();
            case FREEZE_SERVER -> freeze();
            case FORGET -> forget(replica);
            case COMPACT -> etcd.compact(etcd.reached());
            case FILL_DISK -> fillDisk(replica);
            case REVOKE -> revoke();
            case STEP_CLOCK -> replica.setClock(Duration.ofSeconds(random.nextInt(-STEP, STEP)));
            case RESTORE -> restore();
        }
        String where = Fault.OF_SERVER.contains(kind) ? Fault.SERVER : replica.name();
        if (kind != Kind.REVOKE) {
            history.add(new Fault(kind, where, from, System.nanoTime(), false));
        }
    }

    private void backUp() {
        long from = System.nanoTime();
        backup = server.backUp();
        history.add(new Fault(Kind.RESTART_ETCD, Fault.SERVER, from, System.nanoTime(), false));
    }

    /** Stores again what was stored at the begin; the history ends here. */
    void restore() {
        server.restore(Objects.requireNonNull(backup));
    }

    private void kill(Replica replica, boolean torn) throws IOException, InterruptedException {
        sampler.accept(replica);
        replica.kill();
        if (torn) {
            for (Path file : replica.files()) {
                tear(file);
            }
        }
        pause(random.nextInt(1_500));
        replica.startAgain();
    }

    /** Cuts off the end of a file, or overwrites a byte. */
    private void tear(Path file) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            if (bytes.length() > 0) {
                long at = (long) (random.nextDouble() * bytes.length());
                if (random.nextBoolean()) {
                    bytes.setLength(at);
                } else {
                    bytes.seek(at);
                    bytes.write(random.nextInt(256));
                }
            }
        }
    }

    private void stop(Replica replica) throws IOException, InterruptedException {
        replica.signal("STOP");
        pause(500 + random.nextInt(2_500));
        replica.signal("CONT");
    }

    private void partition(Replica replica) throws InterruptedException {
        long from = System.nanoTime();
        replica.upstream().refuse();
        // On a slow machine, a mirror may take half of it until it says so.
        pause(1_000 + random.nextInt(13_000));
        history.add(new Fault(Kind.PARTITION, replica.name(), from, System.nanoTime(), true));
        replica.upstream().heal();
    }

    /** The server does not remember any more what the replica has missed. */
    private void forget(Replica replica) throws InterruptedException {
        replica.upstream().refuse();
        pause(1_000 + random.nextInt(1_000));
        server.restart();
        replica.upstream().heal();
    }

    /** The API server answers, but its watches are late, some for longer than reads wait. */
    private void lag(Replica replica) throws InterruptedException {
        for (int i = 0; i < 4; i++) {
            replica.upstream().lag();
            pause(300 + random.nextInt(chance() ? LATE : 800));
            replica.upstream().heal();
            pause(100);
        }
    }

    private boolean chance() {
        return random.nextInt(4) == 0;
    }

    private void held(Replica replica, FaultyLink link, int millis) throws InterruptedException {
        long from = System.nanoTime();
        link.hold();
        pause(millis);
        if (link == replica.upstream()) {
            history.add(
                    new Fault(Kind.HOLD_UPSTREAM, replica.name(), from, System.nanoTime(), true));
        }
        link.heal();
    }

    private void restartEtcd() throws InterruptedException {
        server.stopEtcd();
        pause(random.nextInt(1_500));
        server.startEtcd();
    }

    /** A replica may be killed while its disk is full, and start when it is. */
    private void fillDisk(Replica replica) throws IOException, InterruptedException {
        replica.disk().fill();
        pause(500 + random.nextInt(3_000));
        if (chance()) {
            long from = System.nanoTime();
            kill(replica, false);
            history.add(new Fault(Kind.KILL, replica.name(), from, System.nanoTime(), false));
        }
        replica.disk().clear();
    }

    private void freeze() throws InterruptedException {
        server.freeze();
        pause(500 + random.nextInt(2_000));
        server.thaw();
    }

    /** Other faults happen meanwhile. */
    private void revoke() {
        long from = System.nanoTime();
        int millis = 10_000 + random.nextInt(25_000);
        permissions.revoke();
        open.add(
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
                                    Fault fault =
                                            new Fault(
                                                    Kind.REVOKE,
                                                    Fault.SERVER,
                                                    from,
                                                    System.nanoTime(),
                                                    false);
                                    history.add(fault);
                                    permissions.grant();
                                }));
    }

    /**
     * Waits until mirrors that were removed, and permissions that were revoked, are there again.
     */
    void awaitEnd() throws InterruptedException {
        for (Thread thread : open) {
            thread.join();
        }
        open.clear();
    }

    private static void pause(int millis) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(millis);
    }
}
