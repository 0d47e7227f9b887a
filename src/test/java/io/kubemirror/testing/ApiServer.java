package io.kubemirror.testing;

import module java.base;

import io.kubemirror.kube.KubeClient;
import io.kubemirror.kube.UpstreamSettings;
import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Source;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

/** An API server that a test writes to, reads from, and disturbs. It is scripted or real. */
public interface ApiServer extends UpstreamServer {

    /** The setting that precedes a kubeconfig, unless it is empty. */
    String SERVER = "kubemirror.upstream.server=";

    /** The base address, without {@code /api} or {@code /apis}. */
    URI url();

    /** A client with valid credentials. */
    RestClient client();

    /** A kubeconfig with credentials, if the address alone is not sufficient. */
    default Optional<String> kubeconfig() {
        return Optional.empty();
    }

    /**
     * The token of the administrator, which the kubeconfig has.
     *
     * @throws NoSuchElementException if it has none
     */
    default String token() {
        return Pattern.compile("token: *\"?([^\\s\"}]+)")
                .matcher(kubeconfig().orElseThrow())
                .results()
                .map(token -> token.group(1))
                .findFirst()
                .orElseThrow();
    }

    /** The settings by which kubemirror mirrors the server. */
    default List<String> settings() {
        return kubeconfig()
                .map(text -> List.of(SERVER, "kubemirror.upstream.kubeconfig=" + file(text)))
                .orElseGet(() -> List.of(SERVER + url()));
    }

    /**
     * Changes an object by a JSON merge patch and returns it as stored.
     *
     * @param namespace the namespace, empty for cluster scope
     */
    ObjectNode patch(ResourceType type, String namespace, String name, String mergePatch);

    /**
     * Changes an object's status by a JSON merge patch that has {@code status} as its one member,
     * and returns it as stored.
     */
    ObjectNode patchStatus(ResourceType type, String namespace, String name, String mergePatch);

    /** Defines a custom resource type and returns when it is served. */
    void define(ResourceType type);

    /**
     * Stops serving a custom resource type, if it is served: its objects are deleted, and its
     * watches end.
     */
    void withdraw(ResourceType type);

    /**
     * Replaces the served version of a custom resource type by another one, and returns when it is
     * served.
     */
    void serveInstead(ResourceType before, ResourceType after);

    /** Returns the current revision of the server. */
    long revision();

    @Override
    default Source connect() {
        return kubeconfig().map(text -> client(null, file(text))).orElseGet(() -> client(url()));
    }

    /** An adapter of a server without access control. */
    static KubeClient client(URI url) {
        return client(url.toString(), null);
    }

    /** An adapter by a URL, or by the path of a kubeconfig. */
    static KubeClient client(@Nullable String url, @Nullable String kubeconfig) {
        return new KubeClient(
                new UpstreamSettings(url, kubeconfig, null),
                ProcessEnvironment.ofProcess(),
                ClientLimits.usual("test"));
    }

    private static String file(String kubeconfig) {
        try {
            Path file = Files.createTempFile("kubeconfig", ".yaml");
            file.toFile().deleteOnExit();
            return Files.writeString(file, kubeconfig).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
