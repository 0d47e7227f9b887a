package io.kubemirror.clients;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static java.util.Objects.requireNonNull;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;

import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.JsonNode;

/**
 * A kubemirror that mirrors one namespace of a real API server. Each client connects through its
 * own relay, so the address survives a restart.
 */
final class NamespaceFixture implements AutoCloseable {

    /** The number of changes in the history of each mirror. */
    static final int WINDOW = 20;

    private static final List<String> MIRRORED = List.of("pods", "configmaps", "events");

    private final ApiServer server;
    private final String namespace;
    private final List<TcpRelay> lines = new ArrayList<>();
    private @Nullable ConfigurableApplicationContext kubemirror;

    NamespaceFixture(ApiServer server, String namespace) {
        this.server = server;
        this.namespace = namespace;
        start();
    }

    ApiServer server() {
        return server;
    }

    String namespace() {
        return namespace;
    }

    /** The path of the namespace's pods. */
    String pods() {
        return PODS.collectionPath(namespace);
    }

    /** Creates a relay to kubemirror, also after restarts. */
    TcpRelay line() {
        TcpRelay line = new TcpRelay();
        line.lead(port());
        lines.add(line);
        return line;
    }

    void create(String name) {
        server.create(pod(namespace, name).label("app", "test"));
    }

    /** Changes a pod the given number of times. */
    void change(String name, int times) {
        for (int i = 0; i < times; i++) {
            String patch = "{\"metadata\":{\"labels\":{\"change\":\"%d\"}}}".formatted(i);
            server.patch(PODS, namespace, name, patch);
        }
    }

    void delete(String name) {
        server.delete(PODS, namespace, name);
    }

    /** Stops kubemirror, runs an action, and starts kubemirror again. */
    void restart(Runnable meanwhile) {
        stop();
        lines.forEach(TcpRelay::cut);
        meanwhile.run();
        start();
        lead();
    }

    /**
     * Breaks all connections, and accepts new ones when kubemirror has received the changes of the
     * action.
     */
    void cut(Runnable meanwhile) {
        lines.forEach(TcpRelay::cut);
        meanwhile.run();
        awaitConsistency();
        lead();
    }

    /**
     * Ends all responses cleanly, and accepts new connections when kubemirror has received the
     * changes of the action. If there are more than the history holds, the revisions of the clients
     * have expired.
     */
    void pause(Runnable meanwhile) {
        lines.forEach(TcpRelay::end);
        meanwhile.run();
        awaitConsistency();
        lead();
    }

    /** The pods on the API server now, with their revisions. */
    Map<String, String> truth() {
        return revisions(server.client());
    }

    /** Waits until the mirror equals the API server. */
    void awaitConsistency() {
        RestClient client = ApplicationLauncher.api(requireNonNull(kubemirror));
        WaitLimit.until(() -> revisions(client).equals(truth()));
    }

    private Map<String, String> revisions(RestClient client) {
        Map<String, String> revisions = new TreeMap<>();
        for (JsonNode item : client.get(pods()).json().path("items")) {
            revisions.put(JsonTrees.name(item), Long.toString(JsonTrees.revision(item)));
        }
        return revisions;
    }

    private void start() {
        kubemirror = ApplicationLauncher.with(settings().toArray(String[]::new));
        var _ = ApplicationLauncher.ready(kubemirror);
    }

    private List<String> settings() {
        List<String> settings = new ArrayList<>();
        settings.add("kubemirror.upstream.server=" + server.url());
        settings.add("kubemirror.history.min-events=" + WINDOW);
        settings.add("kubemirror.history.max-events=" + WINDOW);
        for (int i = 0; i < MIRRORED.size(); i++) {
            String resource = "kubemirror.resources[%d].".formatted(i);
            settings.add(resource + "resource=" + MIRRORED.get(i));
            settings.add(resource + "namespaces[0]=" + namespace);
        }
        return settings;
    }

    private void lead() {
        lines.forEach(line -> line.lead(port()));
    }

    private int port() {
        return ApplicationLauncher.port(requireNonNull(kubemirror));
    }

    private void stop() {
        requireNonNull(kubemirror).close();
    }

    @Override
    public void close() {
        lines.forEach(TcpRelay::close);
        stop();
    }
}
