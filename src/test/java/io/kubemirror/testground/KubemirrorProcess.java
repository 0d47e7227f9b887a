package io.kubemirror.testground;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A kubemirror in a process of its own, from the classes that are being tested, on ports of
 * loopback that stay the same when it is started again.
 */
public final class KubemirrorProcess implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(90);

    private final List<String> command;
    private final Path log;
    private final URI url;
    private final RestClient management;
    private ServerProcess process;

    private KubemirrorProcess(List<String> prefix, List<String> settings) {
        int port = Ports.one();
        int managementPort = Ports.one();
        url = URI.create("http://127.0.0.1:" + port);
        management = RestClient.of(URI.create("http://127.0.0.1:" + managementPort));
        log = temporaryFile();
        command = new ArrayList<>(prefix);
        command.addAll(java());
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
        return new KubemirrorProcess(List.of(), List.of(settings));
    }

    /**
     * Starts one that may not have more files open than so many; it is not ready yet.
     *
     * @param settings properties, as {@code name=value}
     */
    public static KubemirrorProcess withOpenFiles(int limit, String... settings) {
        String limited = "ulimit -n %d && exec \"$@\"".formatted(limit);
        return new KubemirrorProcess(List.of("sh", "-c", limited, "sh"), List.of(settings));
    }

    /** Starts one that mirrors the pods of a server, which may be another kubemirror. */
    public static KubemirrorProcess ofPods(URI upstream) {
        return start(
                "kubemirror.upstream.server=" + upstream, "kubemirror.resources[0].resource=pods");
    }

    /** A small JVM that starts fast, without what is only there for tests. */
    private static List<String> java() {
        String classes =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(entry -> !entry.endsWith("test-classes"))
                        .collect(Collectors.joining(File.pathSeparator));
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-cp",
                classes,
                "io.kubemirror.KubeMirrorApplication");
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

    /** Where it serves the Kubernetes API. */
    public URI url() {
        return url;
    }

    /** A client of that API. */
    public RestClient client() {
        return RestClient.of(url);
    }

    /** A client of health and metrics. */
    public RestClient management() {
        return management;
    }

    /** What it has printed so far, line by line. */
    public List<String> printed() {
        try {
            return Files.readAllLines(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until all its mirrors are synchronised. */
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

    /** Kills it, without giving it time for anything. */
    public void kill() {
        process.stop();
    }

    /** Starts it again after {@link #kill}; it is not ready yet. */
    public void startAgain() {
        process = ServerProcess.start(command, log);
    }

    @Override
    public void close() {
        kill();
    }
}
