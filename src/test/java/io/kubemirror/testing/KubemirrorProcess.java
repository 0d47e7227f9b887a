package io.kubemirror.testing;

import module java.base;

import io.kubemirror.testing.real.ServerPorts;
import io.kubemirror.testing.real.ServerProcess;

/**
 * A kubemirror in a separate process, from the classes under test, on loopback ports that stay the
 * same after a restart.
 */
public final class KubemirrorProcess implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofMinutes(5);

    /** A small JVM that starts fast. */
    private static final List<String> SMALL =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m");

    private final List<String> command;
    private final Path log;
    private final URI url;
    private final URI managementUrl;
    private final RestClient management;
    private ServerProcess process;

    private KubemirrorProcess(List<String> prefix, List<String> java, List<String> settings) {
        int port = ServerPorts.one();
        int managementPort = ServerPorts.one();
        url = URI.create("http://127.0.0.1:" + port);
        managementUrl = URI.create("http://127.0.0.1:" + managementPort);
        management = RestClient.of(managementUrl);
        log = temporaryFile();
        command = new ArrayList<>(prefix);
        command.addAll(java);
        command.add("--server.port=" + port);
        command.add("--management.server.port=" + managementPort);
        settings.forEach(setting -> command.add("--" + setting));
        process = ServerProcess.start(command, log);
    }

    /**
     * Starts one; it is not ready yet.
     *
     * @param settings properties, as {@code name=value}
     */
    public static KubemirrorProcess start(String... settings) {
        return new KubemirrorProcess(List.of(), java(SMALL), List.of(settings));
    }

    /**
     * Starts one with the JVM options of the image, but for its heap; it is not ready yet.
     *
     * @param heap the maximum heap size, such as {@code 64m}
     * @param settings properties, as {@code name=value}
     */
    public static KubemirrorProcess withHeap(String heap, String... settings) {
        List<String> options = new ArrayList<>(imageOptions());
        options.add("-Xmx" + heap);
        return new KubemirrorProcess(List.of(), java(options), List.of(settings));
    }

    /** The classes under test have no ahead-of-time processing. */
    private static List<String> imageOptions() {
        try (Stream<String> lines = Files.lines(Path.of("src/main/docker/jvm.options"))) {
            return lines.filter(line -> line.startsWith("-"))
                    .filter(line -> !line.startsWith("-Dspring.aot"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts one that mirrors the pods of a server, which may be another kubemirror. */
    public static KubemirrorProcess ofPods(URI upstream, String... settings) {
        return start(pods(upstream, settings));
    }

    /** The properties of a mirror of the pods of a server, and more. */
    public static String[] pods(URI upstream, String... settings) {
        return Stream.concat(
                        Stream.of(
                                "kubemirror.upstream.server=" + upstream,
                                "kubemirror.resources[0].resource=pods"),
                        Stream.of(settings))
                .toArray(String[]::new);
    }

    /**
     * Starts one with classes of a test; it is not ready yet.
     *
     * @param classes the directory with these classes
     * @param settings properties, as {@code name=value}
     */
    public static KubemirrorProcess withClasses(Path classes, List<String> settings) {
        String path = classes + File.pathSeparator + classPath();
        return new KubemirrorProcess(List.of(), java(path, SMALL), settings);
    }

    /** A class path without test-only dependencies. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.endsWith("test-classes"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static List<String> java(List<String> options) {
        return java(classPath(), options);
    }

    private static List<String> java(String classes, List<String> options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", classes, "io.kubemirror.app.KubeMirrorApplication"));
        return command;
    }

    /** The command that runs a command of the command line, or starts a server. */
    public static List<String> command(String... arguments) {
        List<String> command = java(List.of());
        command.addAll(List.of(arguments));
        return command;
    }

    private static Path temporaryFile() {
        try {
            Path file = Files.createTempFile("kubemirror", ".log");
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The address of the Kubernetes API. */
    public URI url() {
        return url;
    }

    /** The address of health and metrics. */
    public URI managementUrl() {
        return managementUrl;
    }

    /** Whether the process is running. */
    public boolean isRunning() {
        return process.isRunning();
    }

    /** The process id. */
    public long pid() {
        return process.pid();
    }

    /** A client of that API. */
    public RestClient client() {
        return RestClient.of(url);
    }

    /** A client of health and metrics. */
    public RestClient management() {
        return management;
    }

    /** The output so far, line by line. */
    public List<String> printed() {
        return Unchecked.call(() -> Files.readAllLines(log));
    }

    /** The sum of the metrics of a name, which may end with labels. */
    public double metric(String name) {
        return management
                .get("/actuator/prometheus")
                .body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .sum();
    }

    /** Waits until all its mirrors are synchronized. */
    public KubemirrorProcess awaitReady() {
        process.await(this::isReady, LIMIT);
        return this;
    }

    private boolean isReady() {
        try {
            return management.get("/actuator/health/readiness").code() == 200;
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    /**
     * Waits until a condition is true.
     *
     * @throws IllegalStateException with the end of its log, if the process ends before
     */
    public void await(BooleanSupplier condition) {
        process.await(condition, LIMIT);
    }

    /** Ends the process by a signal, and waits until it has shut down. */
    public void terminate() {
        process.terminate();
    }

    /** Waits until the process has ended by itself, and returns its exit code. */
    public int awaitEnd() {
        return process.awaitEnd();
    }

    /** Kills the process without a graceful shutdown. */
    public void kill() {
        process.stop();
    }

    /** Starts it again after its end; it is not ready yet. */
    public void startAgain() {
        process = ServerProcess.start(command, log);
    }

    @Override
    public void close() {
        kill();
    }
}
