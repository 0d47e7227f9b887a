package io.kubemirror.load;

import module java.base;

import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.ServerBinaries;
import io.kubemirror.testing.scripted.ServedTypes;

import tools.jackson.databind.JsonNode;

/** An API server and how to start kubemirror beside it. */
final class LoadEnvironment implements AutoCloseable {

    private final RealApiServer server;
    private final ImageContents image;

    /**
     * Starts the API server.
     *
     * @param image kubemirror
     */
    LoadEnvironment(ImageContents image) {
        this.image = image;
        server = start();
    }

    /** Starts an API server of its own for a chapter, with further flags. */
    static RealApiServer start(String... flags) {
        return RealApiServer.start(
                ServerBinaries.find()
                        .orElseThrow(
                                () ->
                                        new IllegalStateException(
                                                "KUBEBUILDER_ASSETS names no directory with etcd"
                                                        + " and kube-apiserver")),
                List.of(flags));
    }

    /** The same with an API server of its own. */
    LoadEnvironment fresh() {
        return new LoadEnvironment(image);
    }

    LoadFixtures loadFixtures() {
        return new LoadFixtures(server);
    }

    MeasuredServer api() {
        return new MeasuredServer("API server", server.url().getPort(), server.pid());
    }

    MeasuredServer etcd() {
        return new MeasuredServer("etcd", 0, server.etcdPid());
    }

    /**
     * Starts kubemirror for some resources, with the image's options of the JVM and further ones.
     */
    Sidecar sidecar(List<String> options, String... resources) {
        return sidecar(options, server.url().getPort(), resources);
    }

    /** What the image would be with an application that does nothing. */
    ImageContents emptyApplication() {
        return image.emptyApplication();
    }

    /** Starts kubemirror on another API server. */
    Sidecar sidecar(List<String> options, int upstream, String... resources) {
        return sidecar(options, List.of(), upstream, resources);
    }

    /** Starts kubemirror with further settings. */
    Sidecar sidecar(List<String> options, List<String> further, int upstream, String... resources) {
        List<String> settings = settings(upstream, resources);
        settings.addAll(further);
        // Watches of the next measurement are opened before all those of the last have gone.
        settings.add("kubemirror.connections.max=100000");
        return new Sidecar(image, options, settings);
    }

    /** Starts kubemirror so that it passes on what it does not answer. */
    Sidecar writingSidecar(int upstream, String... resources) {
        List<String> settings = settings(upstream, resources);
        settings.add("kubemirror.pass-through.mode=own");
        return new Sidecar(image, List.of(ImageContents.CHART_HEAP), settings);
    }

    /** Starts kubemirror on another API server as the chart does with a volume. */
    Sidecar storedSidecar(Path directory, int upstream, String... resources) {
        List<String> settings = settings(upstream, resources);
        settings.add("kubemirror.persistence.directory=" + directory);
        return new Sidecar(image, List.of(ImageContents.CHART_HEAP), settings);
    }

    /** Starts kubemirror as the chart does, without any other setting. */
    Sidecar defaultSidecar(String... resources) {
        return new Sidecar(
                image,
                List.of(ImageContents.CHART_HEAP),
                settings(server.url().getPort(), resources));
    }

    private static List<String> settings(int upstream, String... resources) {
        List<String> settings = new ArrayList<>();
        settings.add("kubemirror.upstream.server=http://127.0.0.1:" + upstream);
        for (int i = 0; i < resources.length; i++) {
            settings.add("kubemirror.resources[" + i + "].resource=" + resources[i]);
        }
        return settings;
    }

    /** Begins to mirror all pods in this process. */
    ReflectorFixture reflectorFixture(Strategy strategy) {
        return ReflectorFixture.of(server, ServedTypes.PODS, strategy);
    }

    /** The newest revision, where watches begin. */
    String revision() {
        return server.client()
                .get("/api/v1/namespaces?limit=1")
                .json()
                .at("/metadata/resourceVersion")
                .asString();
    }

    /** The revision of each config map of a namespace, by its name. */
    Map<String, String> revisions(String namespace) {
        Map<String, String> byName = new HashMap<>();
        for (JsonNode item :
                server.client()
                        .get("/api/v1/namespaces/" + namespace + "/configmaps")
                        .json()
                        .at("/items")) {
            byName.put(
                    item.at("/metadata/name").asString(),
                    item.at("/metadata/resourceVersion").asString());
        }
        return byName;
    }

    @Override
    public void close() {
        server.close();
    }
}
