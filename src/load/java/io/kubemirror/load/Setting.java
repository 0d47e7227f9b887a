package io.kubemirror.load;

import io.kubemirror.reflector.Strategy;
import io.kubemirror.testground.Assets;
import io.kubemirror.testground.RealApiServer;
import io.kubemirror.testground.Reflection;
import io.kubemirror.testground.Types;

import java.util.ArrayList;
import java.util.List;

/** An API server and how to start kubemirror beside it. */
final class Setting implements AutoCloseable {

    private final RealApiServer server;
    private final Image image;

    /**
     * Starts the API server.
     *
     * @param image kubemirror
     */
    Setting(Image image) {
        this.image = image;
        server =
                RealApiServer.start(
                        Assets.find()
                                .orElseThrow(
                                        () ->
                                                new IllegalStateException(
                                                        "KUBEBUILDER_ASSETS names no directory"
                                                                + " with etcd and kube-apiserver")),
                        List.of());
    }

    Furniture furniture() {
        return new Furniture(server);
    }

    Side api() {
        return new Side("API server", server.url().getPort(), server.pid());
    }

    /**
     * Starts kubemirror for some resources, with the image's options of the JVM and further ones.
     */
    Sidecar sidecar(List<String> options, String... resources) {
        return sidecar(options, server.url().getPort(), resources);
    }

    /** Starts kubemirror on another API server. */
    Sidecar sidecar(List<String> options, int upstream, String... resources) {
        List<String> settings = new ArrayList<>();
        settings.add("kubemirror.upstream.server=http://127.0.0.1:" + upstream);
        // Watches of the next measurement are opened before all those of the last have gone.
        settings.add("kubemirror.connections.max=0");
        for (int i = 0; i < resources.length; i++) {
            settings.add("kubemirror.resources[" + i + "].resource=" + resources[i]);
        }
        return new Sidecar(image, options, settings);
    }

    /** Begins to mirror all pods in this process. */
    Reflection reflection(Strategy strategy) {
        return Reflection.of(server, Types.PODS, strategy);
    }

    /** The newest revision, where watches begin. */
    String revision() {
        return server.client()
                .get("/api/v1/namespaces?limit=1")
                .json()
                .at("/metadata/resourceVersion")
                .asString();
    }

    @Override
    public void close() {
        server.close();
    }
}
