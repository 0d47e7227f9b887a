package io.kubemirror.feature.union;

import static java.util.Objects.requireNonNull;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The whole application, which shows the config maps of several namespaces together. */
final class UnionFixture implements AutoCloseable {

    static final String ALL = "/api/v1/configmaps";
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final List<String> settings = new ArrayList<>();
    private @Nullable ConfigurableApplicationContext kubemirror;

    /** Starts it with the address of an API server or other settings for it. */
    UnionFixture(List<String> upstream, String... namespaces) {
        settings.addAll(upstream);
        settings.add("kubemirror.shutdown.watch-spread=0s");
        settings.add("kubemirror.resources[0].resource=configmaps");
        settings.add("kubemirror.resources[0].union=true");
        settings.add("kubemirror.resources[0].namespaces=" + String.join(",", namespaces));
        start();
    }

    /** Starts it again after {@link #stop}. */
    void start() {
        kubemirror = ApplicationLauncher.with(settings.toArray(String[]::new));
        Awaitility.await()
                .atMost(LIMIT)
                .until(
                        () ->
                                management().get("/actuator/health/readiness").code() == 200
                                        && client().get(ALL).code() == 200);
    }

    void stop() {
        requireNonNull(kubemirror).close();
    }

    RestClient client() {
        return client("local.server.port");
    }

    RestClient management() {
        return client("local.management.port");
    }

    private RestClient client(String port) {
        return ApplicationLauncher.client(requireNonNull(kubemirror), port);
    }

    /** The names and revisions of the config maps, without those that a cluster adds itself. */
    static Map<String, Long> revisions(JsonNode list) {
        Map<String, Long> revisions = new TreeMap<>();
        for (JsonNode item : list.path("items")) {
            if (!JsonTrees.name(item).startsWith("kube-")) {
                revisions.put(JsonTrees.name(item), JsonTrees.revision(item));
            }
        }
        return revisions;
    }

    @Override
    public void close() {
        stop();
    }
}
