package io.kubemirror.history;

import module java.base;

import io.kubemirror.testing.KubemirrorProcess;

/** A kubemirror process between two links that can be faulty. */
final class Replica implements AutoCloseable {

    /** The bytes that a slow client reads in a second. */
    private static final int SLOW = 6_000;

    /** How long a permission is cached, and after how long those of watches are checked again. */
    static final Duration CACHED = Duration.ofSeconds(3);

    static final Duration RECHECKED = Duration.ofSeconds(2);

    private final String name;
    private final Path directory;
    private final FaultyLink upstream;
    private final FaultyLink clients;
    private final FaultyLink slowClients;
    private final SmallDisk disk;
    private final KubemirrorProcess process;
    private final AtomicInteger lives = new AtomicInteger(1);

    /**
     * Starts one; it is not ready yet.
     *
     * @param permissions what the API server permits them
     */
    Replica(String name, Path directory, URI server, Permissions permissions)
            throws IOException, InterruptedException {
        this.name = name;
        this.directory = directory;
        disk = new SmallDisk(directory.resolve("stored"));
        upstream = new FaultyLink(server, permissions);
        configure();
        Path classes = directory.resolve("classes");
        List<String> settings = new ArrayList<>();
        settings.add(ProcessBeans.install(classes, clock()));
        settings.add("spring.config.additional-location=file:" + directory + "/");
        settings.add("kubemirror.upstream.server=" + upstream.url());
        settings.add("kubemirror.persistence.directory=" + stored());
        settings.add("kubemirror.access.authentication=token-review");
        settings.add("kubemirror.access.cache.allowed=" + CACHED);
        settings.add("kubemirror.access.cache.denied=" + CACHED);
        settings.add("kubemirror.access.recheck-interval=" + RECHECKED);
        process = KubemirrorProcess.withClasses(classes, settings);
        clients = new FaultyLink(process.url(), permissions);
        slowClients = new FaultyLink(process.url(), permissions, SLOW);
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

    private void configure() {
        StringBuilder yaml = new StringBuilder("kubemirror:\n");
        yaml.append("  pass-through: {mode: own}\n");
        yaml.append("  watches: {bookmark-interval: 10s}\n");
        yaml.append("  upstream: {audit-interval: 20s}\n");
        yaml.append("  history: {span: 2s, min-events: " + StoredType.KEPT + "}\n");
        yaml.append("  resources:\n");
        StoredType.ALL.forEach(type -> yaml.append(type.line()));
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve("application.yaml"), yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path clock() {
        return directory.resolve("clock");
    }

    /** Sets by how much the clock of its process is wrong. */
    void setClock(Duration error) {
        ProcessBeans.set(clock(), error);
    }

    /** Kills the process. Whatever its old life still answers comes before the next one. */
    void kill() {
        process.kill();
        lives.incrementAndGet();
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
