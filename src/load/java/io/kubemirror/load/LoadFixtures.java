package io.kubemirror.load;

import static io.kubemirror.testing.Manifests.pod;

import module java.base;

import io.kubemirror.testing.Manifest;
import io.kubemirror.testing.real.RealApiServer;

/** What the API server holds before anything is measured. */
final class LoadFixtures {

    static final int PODS = 10_000;
    static final int NAMESPACES = 20;
    static final int LABEL_VALUES = 200;
    static final int NODES = 500;

    private static final int WRITERS = 8;

    private final RealApiServer server;

    LoadFixtures(RealApiServer server) {
        this.server = server;
    }

    /**
     * Pods of 4.7 KB in 20 namespaces, with 200 values of a label and on 500 nodes, unless they are
     * there.
     */
    void pods() {
        pods(PODS);
    }

    /** A number of such pods. */
    void pods(int count) {
        if (server.client().get("/api/v1/pods?limit=1").json().at("/items").size() > 0) {
            return;
        }
        for (int i = 0; i < NAMESPACES; i++) {
            server.ensureNamespace("pods-" + i);
        }
        each(count, i -> server.create(largePod(i)));
    }

    /** Config maps of 1 KB, unless there are some in the namespace. */
    void configMaps(MeasuredServer api, String namespace, int count) {
        server.ensureNamespace(namespace);
        String one = "/api/v1/namespaces/" + namespace + "/configmaps?limit=1";
        if (server.client().get(one).json().at("/items").size() > 0) {
            return;
        }
        try (ConfigMapWriter writer = new ConfigMapWriter(api, namespace, i -> "n" + i)) {
            each(count, i -> writer.create("n" + i));
        }
    }

    /** Deletes the config maps of a namespace. */
    void deleteConfigMaps(String namespace) {
        server.client()
                .patient()
                .write("DELETE", "/api/v1/namespaces/" + namespace + "/configmaps", null);
    }

    private static void each(int count, IntConsumer action) {
        List<Future<?>> done = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
            for (int i = 0; i < count; i++) {
                int number = i;
                done.add(threads.submit(() -> action.accept(number)));
            }
        }
        try {
            for (Future<?> one : done) {
                one.get();
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Manifest largePod(int number) {
        StringBuilder variables = new StringBuilder();
        for (int i = 0; i < 21; i++) {
            variables.append(
                    "%s{\"name\": \"VARIABLE_%d\", \"value\": \"value %d of pod %d\"}"
                            .formatted(i == 0 ? "" : ",", i, i, number));
        }
        return pod("pods-" + number % NAMESPACES, "pod-" + number)
                .label("app", "app-" + number % LABEL_VALUES)
                .annotation("example.com/description", "a synthetic pod ".repeat(64))
                .with(
                        """
                        {"spec": {"nodeName": "node-%d",
                          "containers": [{"name": "main", "image": "example.com/main:1",
                            "env": [%s]}]}}
                        """
                                .formatted(number % NODES, variables));
    }
}
