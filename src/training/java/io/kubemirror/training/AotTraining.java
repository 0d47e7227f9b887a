package io.kubemirror.training;

import module java.base;

/**
 * Lets the JVM write its cache while kubemirror does what it does in production: it restores a
 * mirror from disk, synchronizes another, and answers lists, watches, and probes. The JVM caches
 * the classes that it has loaded and linked by then.
 *
 * <p>The API server and the clients are in this process, so that the cache knows nothing of them.
 */
public final class AotTraining {

    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final Duration POLL = Duration.ofMillis(20);

    /** How often each request is sent. */
    private static final int ROUNDS = 20;

    /** The lines that are read of each watch: the initial events, and some changes. */
    private static final int LINES = TrainingServer.OBJECTS + 5;

    private static final String JSON = "application/json";

    private static final String TABLE =
            "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

    private static final String METADATA =
            "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json";

    private static final String EVENTS = "text/event-stream";

    private static final String WATCH =
            "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true"
                    + "&resourceVersionMatch=NotOlderThan";

    private final TrainingServer upstream;
    private final Path directory;
    private final List<String> command;
    private final int port = freePort();
    private final int management = freePort();

    private AotTraining(TrainingServer upstream, Path directory, List<String> command)
            throws IOException {
        this.upstream = upstream;
        this.directory = directory;
        this.command = command;
    }

    /**
     * Writes a cache.
     *
     * @param arguments the name of the cache, and then the arguments of {@code java} that start
     *     kubemirror
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        List<String> words = List.of(arguments);
        String cache = words.getFirst();
        List<String> command = words.subList(1, words.size());
        Path directory = Files.createTempDirectory("training");
        try (TrainingServer upstream = new TrainingServer()) {
            AotTraining training = new AotTraining(upstream, directory, command);
            training.run(List.of(), List.of("configmaps"), 0);
            // Otherwise each start would compile what this one has compiled, while the first
            // clients
            // wait, and map five megabytes more.
            List<String> options =
                    List.of(
                            "-XX:+UnlockDiagnosticVMOptions",
                            "-XX:-AOTRecordTraining",
                            "-XX:AOTCacheOutput=" + cache);
            training.run(options, List.of("configmaps", "pods"), ROUNDS);
        } finally {
            delete(directory);
        }
        if (!Files.isRegularFile(Path.of(cache))) {
            throw new IllegalStateException("the JVM has written no cache");
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private void run(List<String> options, List<String> resources, int rounds)
            throws IOException, InterruptedException {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(options);
        words.addAll(command);
        words.add("--server.port=" + port);
        words.add("--management.server.port=" + management);
        words.add("--kubemirror.upstream.server=http://127.0.0.1:" + upstream.port());
        words.add("--kubemirror.persistence.directory=" + directory);
        for (int i = 0; i < resources.size(); i++) {
            words.add("--kubemirror.resources[" + i + "].resource=" + resources.get(i));
        }
        Process process = new ProcessBuilder(words).inheritIO().start();
        try {
            awaitReadiness(process);
            for (int i = 0; i < rounds; i++) {
                sendAll();
            }
        } finally {
            // At its end it stores what is not on disk yet.
            process.destroy();
            process.waitFor();
        }
    }

    private void awaitReadiness(Process process) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!isReady()) {
            if (process.waitFor(POLL) || System.nanoTime() > deadline) {
                throw new IllegalStateException("kubemirror does not become ready");
            }
        }
    }

    private boolean isReady() throws IOException {
        try {
            return open(management, "/actuator/health/readiness", JSON).getResponseCode() == 200;
        } catch (ConnectException _) {
            return false;
        }
    }

    private void sendAll() throws IOException {
        String pods = "/api/v1/pods";
        read(port, "/version", JSON);
        read(port, "/api", JSON);
        read(port, "/apis", JSON);
        read(port, "/api/v1", JSON);
        for (String accept : List.of(JSON, TABLE, METADATA)) {
            read(port, pods + "?resourceVersion=0", accept);
            read(port, "/api/v1/namespaces/ns3/configmaps?limit=50", accept);
        }
        read(port, pods + "?fieldSelector=spec.nodeName%3Dnode3&resourceVersion=0", JSON);
        read(port, pods + "?labelSelector=app%20in%20(a1,a2),tier%3Dweb&resourceVersion=0", JSON);
        read(port, "/api/v1/namespaces/ns3/pods/pod-3?resourceVersion=0", JSON);
        read(port, "/api/v1/namespaces/ns3/pods/none?resourceVersion=0", JSON);
        watch(pods + WATCH, JSON);
        watch(pods + WATCH, EVENTS);
        watch("/api/v1/configmaps" + WATCH, TABLE.replace("List", ""));
        read(management, "/actuator/health/liveness", JSON);
        read(management, "/actuator/health/readiness", JSON);
        read(management, "/actuator/prometheus", "*/*");
    }

    private static HttpURLConnection open(int port, String target, String accept)
            throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection)
                        URI.create("http://127.0.0.1:" + port + target).toURL().openConnection();
        connection.setReadTimeout((int) LIMIT.toMillis());
        Map.of("Accept", accept, "Accept-Encoding", "gzip").forEach(connection::setRequestProperty);
        return connection;
    }

    private static void read(int port, String target, String accept) throws IOException {
        HttpURLConnection connection = open(port, target, accept);
        InputStream body =
                connection.getResponseCode() < 400
                        ? connection.getInputStream()
                        : connection.getErrorStream();
        try (body) {
            body.readAllBytes();
        }
    }

    private void watch(String target, String accept) throws IOException {
        HttpURLConnection connection = open(port, target, accept);
        connection.setRequestProperty("Accept-Encoding", "identity");
        try (InputStream body = connection.getInputStream()) {
            int lines = 0;
            while (lines < LINES) {
                int next = body.read();
                if (next < 0) {
                    return;
                }
                lines += next == '\n' ? 1 : 0;
            }
        } finally {
            connection.disconnect();
        }
    }
}
