package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.configMap;
import static io.kubemirror.testing.Manifests.manifest;
import static io.kubemirror.testing.Manifests.widget;

import io.kubemirror.model.ResourceType;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.awaitility.Awaitility;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Causes failures of a real API server and checks what watching clients see of each, and how long
 * after its end the mirror is up to date again, including a change that is made at its end. Each
 * test begins with a process that has not backed off yet.
 */
final class RealFaults implements AutoCloseable {

    private static final String NAMESPACE = "faults";
    private static final Duration OUTAGE = Duration.ofSeconds(10);

    private final RealApiServer server;
    private final Strategy strategy;
    private int marks;

    /** The faults of a server, which is closed with them. */
    RealFaults(RealApiServer server, Strategy strategy) {
        this.server = server;
        this.strategy = strategy;
        createObjects();
    }

    private void createObjects() {
        server.ensureNamespace(NAMESPACE);
        for (int i = 0; i < 100; i++) {
            server.create(configMap(NAMESPACE, "kept-" + i));
        }
        server.define(ServedTypes.WIDGETS);
        server.create(widget(NAMESPACE, "w", 1));
    }

    /** Adds a row for each fault. */
    void measure(int watchers, MarkdownTablePrinter table)
            throws IOException, InterruptedException {
        for (RealFault fault :
                List.of(
                        on(ServedTypes.CONFIGMAPS, "API server restarted", server::restart),
                        on(ServedTypes.CONFIGMAPS, "API server away for 10 s", this::away),
                        on(
                                ServedTypes.CONFIGMAPS,
                                "410 after changes that nobody saw",
                                this::forget),
                        on(ServedTypes.CONFIGMAPS, "API server frozen for 10 s", this::freeze),
                        on(ServedTypes.CONFIGMAPS, "etcd away for 10 s", this::withoutEtcd),
                        new RealFault(
                                "type served in another version",
                                ServedTypes.WIDGETS,
                                ServedTypes.WIDGETS_V2,
                                this::otherVersion),
                        new RealFault(
                                "type deleted and created again",
                                ServedTypes.WIDGETS_V2,
                                ServedTypes.WIDGETS,
                                this::redefine),
                        on(ServedTypes.CONFIGMAPS, "data of etcd lost", this::lose))) {
            measure(fault, watchers, table);
        }
    }

    /**
     * A fault.
     *
     * @param name what happens
     * @param before what is watched
     * @param after what is there afterwards
     * @param course lets it happen, and returns when the server is well again
     */
    private record RealFault(
            String name, ResourceType before, ResourceType after, FaultSequence course) {}

    /** Something that happens to the server. */
    @FunctionalInterface
    private interface FaultSequence {
        void run() throws InterruptedException;
    }

    private static RealFault on(ResourceType type, String name, FaultSequence course) {
        return new RealFault(name, type, type, course);
    }

    private void measure(RealFault fault, int size, MarkdownTablePrinter table)
            throws IOException, InterruptedException {
        try (ConfigurableApplicationContext application = kubemirror()) {
            RestClient local = client(application);
            awaitConsistency(local, fault.before());
            String path = fault.before().collectionPath();
            try (ManyWatchers manyWatchers =
                    ManyWatchers.watching(
                            local, path, JsonTrees.revision(local.get(path).json()), size)) {
                fault.course().run();
                long well = System.nanoTime();
                String mark = "mark-" + marks++;
                server.create(manifest(fault.after(), NAMESPACE, mark));
                awaitConsistency(local, fault.after());
                double seconds = (System.nanoTime() - well) / 1e9;
                manyWatchers.awaitObject(mark);
                table.row(fault.name(), manyWatchers.saw(), seconds);
            }
        }
    }

    private ConfigurableApplicationContext kubemirror() throws IOException {
        String wanted = strategy.name().toLowerCase(Locale.ROOT).replace('_', '-');
        return ApplicationLauncher.with(
                upstream(),
                "kubemirror.resources[0].resource=configmaps",
                "kubemirror.resources[0].strategy=" + wanted,
                "kubemirror.resources[1].resource=widgets.example.com",
                "kubemirror.resources[1].strategy=" + wanted);
    }

    private String upstream() throws IOException {
        if (server.kubeconfig().isEmpty()) {
            return "kubemirror.upstream.server=" + server.url();
        }
        Path file = Files.createTempFile("kubeconfig", ".yaml");
        file.toFile().deleteOnExit();
        Files.writeString(file, server.kubeconfig().get());
        return "kubemirror.upstream.kubeconfig=" + file;
    }

    private static RestClient client(ConfigurableApplicationContext application) {
        String port = application.getEnvironment().getRequiredProperty("local.server.port");
        return RestClient.of(URI.create("http://127.0.0.1:" + port));
    }

    private void awaitConsistency(RestClient local, ResourceType type) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(3))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> revisions(local, type).equals(revisions(server.client(), type)));
    }

    /** The revisions of all objects by their place; the code of an error by nothing. */
    private static Map<String, Long> revisions(RestClient client, ResourceType type) {
        RestClient.RestResponse reply = client.get(type.collectionPath());
        Map<String, Long> revisions = new HashMap<>();
        if (reply.code() == 200) {
            for (JsonNode item : reply.json().path("items")) {
                revisions.put(JsonTrees.key(item), JsonTrees.revision(item));
            }
        } else {
            revisions.put("", (long) reply.code());
        }
        return revisions;
    }

    private static void last(Duration duration) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(duration.toNanos());
    }

    private void away() throws InterruptedException {
        server.stop();
        last(OUTAGE);
        server.start();
    }

    /** Restarted once more, the server remembers nothing of what happened in between. */
    private void forget() throws InterruptedException {
        server.stop();
        last(Duration.ofSeconds(3));
        server.start();
        server.replace(configMap(NAMESPACE, "kept-1").data("k", "v"));
        server.delete(ServedTypes.CONFIGMAPS, NAMESPACE, "kept-2");
        server.create(configMap(NAMESPACE, "new"));
        server.restart();
    }

    private void freeze() throws InterruptedException {
        server.freeze();
        last(OUTAGE);
        server.thaw();
    }

    private void withoutEtcd() throws InterruptedException {
        server.stopEtcd();
        last(OUTAGE);
        server.startEtcd();
    }

    private void otherVersion() {
        server.serveInstead(ServedTypes.WIDGETS, ServedTypes.WIDGETS_V2);
    }

    private void redefine() {
        server.withdraw(ServedTypes.WIDGETS_V2);
        server.define(ServedTypes.WIDGETS);
        server.create(widget(NAMESPACE, "again", 1));
    }

    private void lose() {
        server.wipe();
        createObjects();
    }

    @Override
    public void close() {
        server.close();
    }
}
