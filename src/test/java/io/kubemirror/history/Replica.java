package io.kubemirror.history;

import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.RestClient;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A kubemirror process between two links that can be faulty. */
final class Replica implements AutoCloseable {

    /** The bytes that a slow client reads in a second. */
    private static final int SLOW = 3_000;

    private static final int OK = 200;

    private final String name;
    private final Path directory;
    private final FaultyLink upstream;
    private final FaultyLink clients;
    private final FaultyLink slowClients;
    private final SmallDisk disk;
    private final KubemirrorProcess process;
    private final AtomicInteger lives = new AtomicInteger(1);
    private int writing;

    /**
     * Starts one; it is not ready yet.
     *
     * @param tokens a file with the tokens of clients
     */
    Replica(String name, Path directory, URI server, Path tokens)
            throws IOException, InterruptedException {
        this.name = name;
        this.directory = directory;
        disk = new SmallDisk(directory.resolve("stored"));
        upstream = new FaultyLink(server);
        configure(_ -> true);
        process =
                KubemirrorProcess.start(
                        "spring.config.additional-location=file:" + directory + "/",
                        "kubemirror.upstream.server=" + upstream.url(),
                        "kubemirror.persistence.directory=" + stored(),
                        "kubemirror.access.authentication=token-file",
                        "kubemirror.access.token-file=" + tokens,
                        "kubemirror.access.cache.allowed=3s",
                        "kubemirror.access.cache.denied=3s");
        clients = new FaultyLink(process.url());
        slowClients = new FaultyLink(process.url(), SLOW);
    }

    /** Beside what fills the disk. */
    private Path stored() {
        return disk.directory().resolve("mirrors");
    }

    SmallDisk disk() {
        return disk;
    }

    /** Where clients connect to that read slowly. */
    URI slowUrl() {
        return slowClients.url();
    }

    String name() {
        return name;
    }

    /** The number of its process, from 1. */
    int life() {
        return lives.get();
    }

    /** Where clients connect to. */
    URI url() {
        return clients.url();
    }

    FaultyLink upstream() {
        return upstream;
    }

    FaultyLink clients() {
        return clients;
    }

    KubemirrorProcess process() {
        return process;
    }

    /** Mirrors some types from now on. */
    void configure(Predicate<StoredType> mirrored) {
        StringBuilder yaml = new StringBuilder("kubemirror:\n");
        yaml.append("  pass-through: {mode: own}\n");
        yaml.append("  watches: {bookmark-interval: ").append(10 + writing++).append("s}\n");
        yaml.append("  upstream: {audit-interval: 20s}\n");
        yaml.append("  resources:\n");
        StoredType.ALL.stream().filter(mirrored).forEach(type -> yaml.append(type.line()));
        try {
            Files.createDirectories(directory);
            Path next = Files.writeString(directory.resolve("next"), yaml);
            Files.move(
                    next,
                    directory.resolve("application.yaml"),
                    java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The status of the number of objects in all namespaces, negative if there was no answer. */
    int counted(StoredType type) {
        int status = OK;
        for (String namespace : StoredType.NAMESPACES) {
            try {
                RestClient client = process.client().withToken(Identity.ALL.token());
                String path = type.path(namespace) + "?resourceVersion=0&count=only";
                int code = client.get(path).code();
                status = code == OK ? status : code;
            } catch (UncheckedIOException e) {
                return -1;
            }
        }
        return status;
    }

    /** Kills the process. */
    void kill() {
        lives.incrementAndGet();
        process.kill();
    }

    /** The files of its mirrors. */
    List<Path> files() {
        try (Stream<Path> files = Files.walk(stored())) {
            return files.filter(Files::isRegularFile).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts it again after {@link #kill}, and waits until it is ready. */
    void startAgain() {
        process.startAgain();
        process.awaitReady();
    }

    /** Sends the process a signal. */
    void signal(String signal) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
    }

    @Override
    public void close() {
        clients.close();
        slowClients.close();
        process.close();
        upstream.close();
        disk.close();
    }
}
