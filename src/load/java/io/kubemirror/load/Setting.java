package io.kubemirror.load;

import io.kubemirror.testground.Assets;
import io.kubemirror.testground.RealApiServer;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An API server and how to start kubemirror beside it. */
final class Setting implements AutoCloseable {

    private final RealApiServer server;
    private final Path jar;
    private final List<String> jvm;

    /**
     * Starts the API server.
     *
     * @param jar kubemirror
     * @param jvm the options that it is started with
     */
    Setting(Path jar, List<String> jvm) {
        this.jar = jar;
        this.jvm = jvm;
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

    /** Starts kubemirror for some resources, with the settings of the image and further ones. */
    Sidecar sidecar(List<String> options, String... resources) {
        return sidecar(options, server.url().getPort(), resources);
    }

    /** Starts kubemirror on another API server. */
    Sidecar sidecar(List<String> options, int upstream, String... resources) {
        List<String> settings = new ArrayList<>();
        settings.add("kubemirror.upstream.server=http://127.0.0.1:" + upstream);
        for (int i = 0; i < resources.length; i++) {
            settings.add("kubemirror.resources[" + i + "].resource=" + resources[i]);
        }
        List<String> all = new ArrayList<>(jvm);
        all.addAll(options);
        return new Sidecar(jar, all, settings);
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
