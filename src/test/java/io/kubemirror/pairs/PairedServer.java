package io.kubemirror.pairs;

import module java.base;

import io.kubemirror.kube.TestCertificates;
import io.kubemirror.model.ResourceType;
import io.kubemirror.pairs.ServerFront.Gate;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.LoopbackServer;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.ServerAccess;
import io.kubemirror.testing.real.ServerBinaries;
import io.kubernetes.client.util.ClientBuilder;

/** The API server of all rows, with its users and its custom resource. */
final class PairedServer implements AutoCloseable {

    /** The namespaces of all rows. */
    static final List<String> NAMESPACES = List.of("pairs-a", "pairs-b");

    private static final String POLICY = "{\"user\":\"%s\",\"readonly\":true,%s}";
    private static final String IN = "\"namespace\":\"%s\",\"resource\":\"*\",\"apiGroup\":\"*\"";

    private final RealApiServer server;

    private PairedServer(RealApiServer server) {
        this.server = server;
    }

    /**
     * Starts it.
     *
     * @param directory an empty directory for its files
     */
    static PairedServer start(ServerBinaries binaries, Path directory) throws Exception {
        ServerAccess access = new ServerAccess(directory);
        access.knowUsers(
                List.of(
                        "t-reader,reader,reader",
                        "t-limited,limited,limited",
                        "t-outsider,outsider,outsider"));
        access.knowCertificates(TestCertificates.of("nobody", "nobody").certificatePem());
        access.permit(
                List.of(
                        POLICY.formatted("reader", "\"nonResourcePath\":\"*\""),
                        POLICY.formatted("reader", IN.formatted("*")),
                        POLICY.formatted("limited", IN.formatted(NAMESPACES.getFirst()))));
        PairedServer started = new PairedServer(RealApiServer.start(binaries, access));
        started.client()
                .write(
                        "POST",
                        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                        PairedTypes.DEFINITION);
        WaitLimit.until(
                () ->
                        started.client().get("/apis/pairs.example.com/v2/vaults").code() == 200
                                && started.client()
                                        .get("/apis/pairs.example.com/v1")
                                        .body()
                                        .contains("vaults/status"));
        return started;
    }

    RestClient client() {
        return server.client();
    }

    /**
     * Returns a relay to its etcd.
     *
     * @param answers lets pass what etcd sends
     */
    LoopbackServer etcd(Gate answers) {
        URI url = URI.create(server.etcd());
        return ServerFront.relay(new InetSocketAddress(url.getHost(), url.getPort()), answers);
    }

    void ensureNamespace(String name) {
        server.ensureNamespace(name);
    }

    /** A front of it, and its kubeconfig in a file of the directory. */
    ServerFront front(Path directory) throws IOException {
        SSLSocketFactory tls =
                new ClientBuilder()
                        .setVerifyingSsl(false)
                        .build()
                        .getHttpClient()
                        .sslSocketFactory();
        ServerFront front = new ServerFront(server.url(), tls);
        String config =
                server.kubeconfig()
                        .orElseThrow()
                        .replace(server.url().toString(), "http://127.0.0.1:" + front.port());
        Files.writeString(directory.resolve("config"), config);
        return front;
    }

    /** The revisions of all objects of the paired types, by resource, namespace, and name. */
    Map<String, String> truth(List<String> namespaces) {
        Map<String, String> truth = new TreeMap<>();
        for (ResourceType type : PairedTypes.ALL) {
            client().read(type.collectionPath())
                    .path("items")
                    .forEach(
                            item -> {
                                if (namespaces.contains(JsonTrees.namespace(item))) {
                                    truth.put(
                                            resource(type) + " " + JsonTrees.key(item),
                                            Long.toString(JsonTrees.revision(item)));
                                }
                            });
        }
        return truth;
    }

    /** The name of a type as streams have it. */
    static String resource(ResourceType type) {
        return type.group().isEmpty() ? type.plural() : type.plural() + "." + type.group();
    }

    void clear(List<String> namespaces) {
        for (ResourceType type : PairedTypes.ALL) {
            namespaces.forEach(
                    namespace -> client().write("DELETE", type.collectionPath(namespace), null));
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
