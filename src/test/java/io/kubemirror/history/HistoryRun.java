package io.kubemirror.history;

import module java.base;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.ServerBinaries;

/** One run of clients, replicas, and faults, in an order that a seed decides as far as it can. */
final class HistoryRun {

    private static final int WRITERS = 3;
    private static final int READERS = 4;
    private static final int ALL_READERS = WRITERS + READERS - 1;

    /** Those of streams, slow ones, and one that may not read everything. */
    private static final List<String> WATCHERS =
            List.of(
                    "w0",
                    "w1",
                    "w2",
                    "w3",
                    "w4",
                    "w5",
                    "s0",
                    "s1",
                    "z0",
                    "z1",
                    Identity.PART.prefix() + "w");

    private static final int AFTER_RESTORE = 10;
    private static final long NANOS = 1_000_000_000L;

    /** Only what is read of them: samples are frequent. */
    private static final String METRICS = "/actuator/prometheus?includedNames=kubemirror_resyncs";

    private static final Pattern RESYNCS =
            Pattern.compile("kubemirror_resyncs_total\\{([^}]*)} ([0-9.E]+)");

    private final long seed;
    private final Random random;
    private final Path directory;
    private final History history = new History();
    private final Client.KnownRevisions known;
    private final Permissions permissions = new Permissions();
    private final List<Replica> replicas = new ArrayList<>();
    private volatile boolean writing = true;
    private volatile boolean watching = true;

    HistoryRun(long seed, Path directory) {
        this(seed, directory, new Client.KnownRevisions());
    }

    private HistoryRun(long seed, Path directory, Client.KnownRevisions known) {
        this.seed = seed;
        this.random = new Random(seed);
        this.directory = directory;
        this.known = known;
    }

    /** What goes wrong while there are clients. */
    @FunctionalInterface
    private interface Course {
        void run() throws IOException, InterruptedException;
    }

    /**
     * What came of it.
     *
     * @param history what happened
     * @param faults how often each has happened
     * @param exempt how much could not be judged
     * @param violations what was illegal
     */
    record Result(
            History history,
            Map<String, Integer> faults,
            Checker.Exempt exempt,
            List<Violation> violations) {}

    /** What has happened up to now. */
    History history() {
        return history;
    }

    /** Keeps what the processes printed in a directory. */
    void keepLogs(Path kept) throws IOException {
        for (Replica replica : replicas) {
            Files.write(kept.resolve(replica.name() + ".log"), replica.process().printed());
        }
    }

    /** Runs for some seconds, and judges; after a restore, another history begins. */
    List<Result> run(long seconds) throws IOException, InterruptedException {
        RealApiServer server =
                RealApiServer.start(
                        ServerBinaries.find().orElseThrow(),
                        List.of("--storage-media-type=application/json"));
        try (EtcdWatch etcd = new EtcdWatch(server.etcd(), history)) {
            StoredType.NAMESPACES.forEach(server::ensureNamespace);
            StoredType.ALL.forEach(etcd::follow);
            startReplicas(server);
            Faults faults =
                    new Faults(history, replicas, server, etcd, permissions, random, this::sample);
            long until = System.nanoTime() + seconds * NANOS;
            boolean restored = random.nextInt(3) == 0;
            withClients(server, etcd, () -> faults.run(until, restored));
            faults.awaitEnd();
            Result result = judged(faults.counts());
            return restored && result.violations().isEmpty()
                    ? List.of(result, afterRestore(server, faults))
                    : List.of(result);
        } finally {
            replicas.forEach(Replica::close);
            server.close();
        }
    }

    private Result judged(Map<String, Integer> faults) {
        Checker checker = checker(history);
        List<Violation> violations = checker.check();
        return new Result(history, faults, checker.exempt(), violations);
    }

    /** Stores again what was stored when the run began, which is the begin of another history. */
    private Result afterRestore(RealApiServer server, Faults faults)
            throws IOException, InterruptedException {
        HistoryRun after = new HistoryRun(seed + 1, directory, known.forget());
        after.replicas.addAll(replicas);
        long from = System.nanoTime();
        faults.restore();
        try (EtcdWatch etcd = new EtcdWatch(server.etcd(), after.history)) {
            StoredType.ALL.forEach(etcd::follow);
            replicas.forEach(replica -> awaitRestored(replica, server));
            after.history.add(
                    new Fault(Fault.Kind.RESTORE, Fault.SERVER, from, System.nanoTime(), false));
            after.withClients(server, etcd, () -> TimeUnit.SECONDS.sleep(AFTER_RESTORE));
            return after.judged(Map.of(Fault.Kind.RESTORE.name(), 1));
        }
    }

    /** Waits until a replica shows no state any more that was lost. */
    private static void awaitRestored(Replica replica, RealApiServer server) {
        RestClient client = connection("", replica.url());
        for (StoredType type : StoredType.ALL) {
            for (String namespace : StoredType.NAMESPACES) {
                String path = type.path(namespace) + "?resourceVersion=0";
                WaitLimit.until(
                        () -> {
                            long shown = revision(client, path);
                            return shown >= 0
                                    && shown <= revision(server.client(), type.path(namespace));
                        });
            }
        }
    }

    private static long revision(RestClient client, String path) {
        try {
            RestClient.RestResponse response = client.get(path);
            return response.code() == 200 ? JsonTrees.revision(response.json()) : -1;
        } catch (UncheckedIOException e) {
            return -1;
        }
    }

    /** Judges the history of a run. */
    static Checker checker(History history) {
        return new Checker(history, Set.of(StoredType.VERIFIED.plural()));
    }

    private void startReplicas(RealApiServer server) throws IOException, InterruptedException {
        int count = 1 + Math.min(2, random.nextInt(4));
        for (int i = 0; i < count; i++) {
            replicas.add(
                    new Replica("r" + i, directory.resolve("r" + i), server.url(), permissions));
        }
        replicas.forEach(replica -> replica.process().awaitReady());
    }

    private void withClients(RealApiServer server, EtcdWatch etcd, Course course)
            throws IOException, InterruptedException {
        List<Watcher> watchers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            try {
                threads.execute(this::sample);
                for (int i = 0; i < WRITERS + READERS; i++) {
                    Client client = client((i < ALL_READERS ? "c" : Identity.PART.prefix()) + i);
                    boolean writes = i < WRITERS;
                    threads.execute(
                            () -> repeat(() -> writing, client, 40, () -> use(client, writes)));
                }
                Client direct = client("direct");
                threads.execute(
                        () ->
                                repeat(
                                        () -> writing,
                                        direct,
                                        30,
                                        () -> writeDirectly(direct, server.client())));
                for (String name : WATCHERS) {
                    Watcher watcher = watcher(name);
                    watchers.add(watcher);
                    Turn turn = name.startsWith("s") ? watcher::stream : watcher::watch;
                    threads.execute(() -> repeat(() -> watching, watcher, 100, turn));
                }
                course.run();
                writing = false;
                settle(server.client(), etcd);
            } finally {
                writing = false;
                watching = false;
                watchers.forEach(Watcher::close);
            }
        }
    }

    private Client client(String name) {
        return new Client(
                history,
                name,
                replicas,
                new Random(seed + name.hashCode()),
                known,
                replica -> connection(name, replica.url()));
    }

    private Watcher watcher(String name) {
        boolean slow = name.startsWith("z");
        return new Watcher(
                history,
                name,
                replicas,
                new Random(seed + name.hashCode()),
                known,
                replica -> connection(name, slow ? replica.slowUrl() : replica.url()),
                slow);
    }

    private static RestClient connection(String client, URI url) {
        boolean part = client.startsWith(Identity.PART.prefix());
        return RestClient.of(url).withToken((part ? Identity.PART : Identity.ALL).token());
    }

    /** What a client does again and again. */
    @FunctionalInterface
    private interface Turn {
        void run() throws InterruptedException;
    }

    /** Repeats a turn while a condition holds, with pauses of up to so many milliseconds more. */
    private static void repeat(BooleanSupplier condition, Client client, int pause, Turn turn) {
        try {
            while (condition.getAsBoolean()) {
                turn.run();
                TimeUnit.MILLISECONDS.sleep(10 + client.random.nextInt(pause));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void use(Client client, boolean writes) {
        if (writes && !client.chance(4)) {
            client.write();
        } else {
            client.read();
        }
    }

    /** What kubemirror learns of from its watches only. */
    private void writeDirectly(Client client, RestClient server) {
        StoredType type = client.anyType();
        String name = client.anyName();
        String path = type.path(client.anyNamespace());
        String body = type.body(name, client.anyLabel(), known.nextValue());
        try {
            if (type.equals(StoredType.PARTIAL) && client.chance(2)) {
                server.send("PATCH", path + "/" + name, StoredType.hidden(known.nextValue()));
            } else if (client.chance(6)) {
                server.send("DELETE", path + "/" + name, null);
            } else if (server.send("PATCH", path + "/" + name, body).code() == 404) {
                server.send("POST", path, body);
            }
        } catch (UncheckedIOException e) {
            // The server is being restarted.
        }
    }

    /** Writes something last, and waits until everybody has had the time to hear of it. */
    private void settle(RestClient server, EtcdWatch etcd) throws InterruptedException {
        for (StoredType type : StoredType.ALL) {
            for (String namespace : StoredType.NAMESPACES) {
                String path = type.path(namespace);
                String body = type.body("last", "v", known.nextValue());
                // The server may still recover from the last fault.
                WaitLimit.until(
                        () -> {
                            int code = server.send("POST", path, body).code();
                            return code < 300 || code == 409;
                        });
                long revision = JsonTrees.revision(server.read(path + "/last"));
                WaitLimit.until(() -> etcd.reached(type) >= revision);
                for (Replica replica : replicas) {
                    RestClient client = connection("", replica.url());
                    WaitLimit.until(() -> revision(client, path + "/last?resourceVersion=0") >= 0);
                }
            }
        }
        TimeUnit.SECONDS.sleep(SETTLING);
    }

    private static final int SETTLING = 8;

    private void sample() {
        try {
            while (watching) {
                replicas.forEach(this::sample);
                TimeUnit.MILLISECONDS.sleep(400);
            }
            replicas.forEach(this::sample);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A process that is not there, or does not answer, has no sample. */
    private synchronized void sample(Replica replica) {
        int life = replica.life();
        try {
            long at = System.nanoTime();
            String metrics = replica.process().management().get(METRICS).body();
            Map<String, Long> counts = new HashMap<>();
            StoredType.ALL.forEach(type -> counts.put(type.plural(), 0L));
            Matcher matcher = RESYNCS.matcher(metrics);
            while (matcher.find()) {
                for (StoredType type : StoredType.ALL) {
                    if (matcher.group(1).contains(type.plural())) {
                        long count = (long) Double.parseDouble(matcher.group(2));
                        counts.merge(type.plural(), count, Long::sum);
                    }
                }
            }
            long until = System.nanoTime();
            counts.forEach(
                    (plural, count) -> {
                        history.add(new Sample(at, until, replica.name(), life, plural, count));
                    });
        } catch (UncheckedIOException e) {
            // It is being restarted.
        }
    }
}
