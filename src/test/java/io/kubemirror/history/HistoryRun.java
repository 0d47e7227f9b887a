package io.kubemirror.history;

import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.ServerBinaries;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One run of clients, replicas, and faults, in an order that a seed decides as far as it can. */
final class HistoryRun {

    private static final int WRITERS = 3;
    private static final int READERS = 4;
    private static final int WATCHERS = 6;
    private static final int STREAMS = 2;
    private static final Pattern RESYNCS =
            Pattern.compile("kubemirror_resyncs_total\\{([^}]*)} ([0-9.E]+)");

    private final long seed;
    private final Random random;
    private final Path directory;
    private final History history = new History();
    private final Client.KnownRevisions known = new Client.KnownRevisions();
    private final List<Replica> replicas = new ArrayList<>();
    private volatile boolean writing = true;
    private volatile boolean watching = true;

    HistoryRun(long seed, Path directory) {
        this.seed = seed;
        this.random = new Random(seed);
        this.directory = directory;
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
            String exempt,
            List<Violation> violations) {}

    /** Runs for some seconds, and judges. */
    Result run(long seconds) throws IOException, InterruptedException {
        RealApiServer server =
                RealApiServer.start(
                        ServerBinaries.find().orElseThrow(),
                        List.of("--storage-media-type=application/json"));
        EtcdWatch etcd = new EtcdWatch(server.etcd(), history);
        try {
            StoredType.NAMESPACES.forEach(server::ensureNamespace);
            StoredType.ALL.forEach(etcd::follow);
            startReplicas(server);
            Faults faults = new Faults(history, replicas, server, etcd, random, this::sample);
            withClients(server, etcd, faults, System.nanoTime() + seconds * 1_000_000_000L);
            Checker checker = checker(history);
            List<Violation> violations = checker.check();
            return new Result(history, faults.counts(), checker.exempt(), violations);
        } finally {
            replicas.forEach(Replica::close);
            etcd.close();
            server.close();
        }
    }

    /** Judges the history of a run. */
    static Checker checker(History history) {
        return new Checker(
                history, Set.of(StoredType.VERIFIED.plural()), Set.of(StoredType.UNITED.plural()));
    }

    private void startReplicas(RealApiServer server) {
        int count = 1 + Math.min(2, random.nextInt(4));
        for (int i = 0; i < count; i++) {
            replicas.add(new Replica("r" + i, directory.resolve("r" + i), server.url()));
        }
        replicas.forEach(replica -> replica.process().awaitReady());
    }

    private void withClients(RealApiServer server, EtcdWatch etcd, Faults faults, long until)
            throws IOException, InterruptedException {
        List<Watcher> watchers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            try {
                threads.execute(this::sample);
                for (int i = 0; i < WRITERS + READERS; i++) {
                    Client client = client("c" + i);
                    boolean writes = i < WRITERS;
                    threads.execute(() -> use(client, writes));
                }
                threads.execute(() -> writeDirectly(server));
                for (int i = 0; i < WATCHERS + STREAMS; i++) {
                    Watcher watcher = watcher((i < WATCHERS ? "w" : "s") + i);
                    watchers.add(watcher);
                    boolean streams = i >= WATCHERS;
                    threads.execute(() -> watch(watcher, streams));
                }
                faults.run(until);
                writing = false;
                settle(server, etcd);
            } finally {
                writing = false;
                watching = false;
                watchers.forEach(Watcher::close);
            }
        }
    }

    private Client client(String name) {
        return new Client(history, name, replicas, new Random(seed + name.hashCode()), known);
    }

    private Watcher watcher(String name) {
        return new Watcher(history, name, replicas, new Random(seed + name.hashCode()), known);
    }

    private void use(Client client, boolean writes) {
        try {
            while (writing) {
                if (writes && !client.chance(4)) {
                    client.write();
                } else {
                    client.read();
                }
                TimeUnit.MILLISECONDS.sleep(10 + client.random.nextInt(40));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What kubemirror learns of from its watches only. */
    private void writeDirectly(RealApiServer server) {
        Client client = client("direct");
        try {
            while (writing) {
                StoredType type = client.anyType();
                String name = client.anyName();
                String path = type.path(client.anyNamespace());
                String body = StoredType.body(name, client.anyLabel(), known.nextValue());
                write(server.client(), path, name, body, client.chance(6));
                TimeUnit.MILLISECONDS.sleep(10 + client.random.nextInt(30));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void write(
            RestClient server, String path, String name, String body, boolean deletion) {
        try {
            if (deletion) {
                server.send("DELETE", path + "/" + name, null);
            } else if (server.send("PATCH", path + "/" + name, body).code() == 404) {
                server.send("POST", path, body);
            }
        } catch (UncheckedIOException e) {
            // The server is being restarted.
        }
    }

    private void watch(Watcher watcher, boolean streams) {
        try {
            while (watching) {
                if (streams) {
                    watcher.stream();
                } else {
                    watcher.watch();
                }
                TimeUnit.MILLISECONDS.sleep(10 + watcher.random.nextInt(100));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writes something last, and waits until everybody has had the time to hear of it. */
    private void settle(RealApiServer server, EtcdWatch etcd) throws InterruptedException {
        String name = "last";
        for (StoredType type : StoredType.ALL) {
            for (String namespace : StoredType.NAMESPACES) {
                String body = StoredType.body(name, "v", known.nextValue());
                server.client().write("POST", type.path(namespace), body);
            }
        }
        for (StoredType type : StoredType.ALL) {
            for (String namespace : StoredType.NAMESPACES) {
                String path = type.path(namespace) + "/" + name;
                long revision =
                        Long.parseLong(
                                server.client()
                                        .read(path)
                                        .at("/metadata/resourceVersion")
                                        .asString());
                WaitLimit.until(() -> etcd.reached(type) >= revision);
                for (Replica replica : replicas) {
                    RestClient client = RestClient.of(replica.url());
                    WaitLimit.until(() -> shows(client, path + "?resourceVersion=0"));
                }
            }
        }
        TimeUnit.SECONDS.sleep(SETTLING);
    }

    private static final int SETTLING = 8;

    private static boolean shows(RestClient client, String path) {
        try {
            return client.get(path).code() == 200;
        } catch (UncheckedIOException e) {
            return false;
        }
    }

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
            String metrics = replica.process().management().get("/actuator/prometheus").body();
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
