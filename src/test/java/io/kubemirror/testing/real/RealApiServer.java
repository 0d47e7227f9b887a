package io.kubemirror.testing.real;

import module java.base;

import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.Manifest;
import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.Unchecked;
import io.kubernetes.client.util.ClientBuilder;

import okhttp3.OkHttpClient;

import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A kube-apiserver with its own etcd, started from {@link ServerBinaries} in a temporary directory
 * on free ports of loopback.
 */
public final class RealApiServer implements ApiServer {

    private static final String DEFINITIONS =
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final Duration START_LIMIT = Duration.ofMinutes(3);

    private final Path directory;
    private final ApiServerCommand command;
    private final URI url;
    private final String etcdUrl;
    private final List<String> etcdCommand;
    private final RestClient etcdClient;
    private final RestClient client;
    private ServerProcess etcd;
    private @Nullable ServerProcess apiServer;

    private RealApiServer(ServerBinaries serverBinaries, boolean secure, List<String> flags) {
        directory = temporaryDirectory();
        ServerPorts ports = ServerPorts.free();
        command = ApiServerCommand.of(serverBinaries, directory, ports, secure, flags);
        url =
                URI.create(
                        secure
                                ? "https://127.0.0.1:" + ports.securePort()
                                : "http://127.0.0.1:" + ports.plainPort());
        client = new RestClient(unverified(), url).withToken(command.token());
        etcdUrl = ports.etcd();
        etcdCommand = etcdCommand(serverBinaries, data(), ports);
        etcdClient = RestClient.of(URI.create(ports.etcd()));
        etcd = startedEtcd();
    }

    /**
     * Starts a server, over plain HTTP if the binary can, and waits until it is ready.
     *
     * @param flags further flags of kube-apiserver
     * @throws IllegalStateException with the end of the log, if it does not come up
     */
    public static RealApiServer start(ServerBinaries serverBinaries, List<String> flags) {
        return start(serverBinaries, !ApiServerCommand.servesPlainHttp(serverBinaries), flags);
    }

    /** Starts a server over TLS with the users and permissions of the given files. */
    public static RealApiServer start(ServerBinaries serverBinaries, ServerAccess access) {
        return start(serverBinaries, true, access.flags());
    }

    static RealApiServer start(ServerBinaries serverBinaries, boolean secure, List<String> flags) {
        RealApiServer server = new RealApiServer(serverBinaries, secure, flags);
        try {
            server.awaitEtcd();
            server.start();
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /**
     * Starts another API server on the etcd of this one. Closing it does not stop that etcd; its
     * own etcd stays empty.
     */
    public RealApiServer startPeer(ServerBinaries serverBinaries) {
        return start(serverBinaries, List.of("--etcd-servers=" + etcdUrl));
    }

    private ServerProcess startedEtcd() {
        return ServerProcess.start(etcdCommand, directory.resolve("etcd.log"));
    }

    private void awaitEtcd() {
        etcd.await(() -> answers(etcdClient, "/health"), START_LIMIT);
    }

    private Path data() {
        return directory.resolve("etcd");
    }

    private static List<String> etcdCommand(
            ServerBinaries serverBinaries, Path data, ServerPorts ports) {
        return List.of(
                serverBinaries.etcd().toString(),
                "--name=default",
                "--data-dir=" + data,
                "--unsafe-no-fsync",
                "--log-level=warn",
                // The revision of quiet types advances soon; the default is ten minutes.
                "--experimental-watch-progress-notify-interval=5s",
                "--listen-client-urls=" + ports.etcd(),
                "--advertise-client-urls=" + ports.etcd(),
                "--listen-peer-urls=" + ports.peer(),
                "--initial-advertise-peer-urls=" + ports.peer(),
                "--initial-cluster=default=" + ports.peer());
    }

    /** A self-signed certificate cannot be verified, which is acceptable on loopback. */
    private static OkHttpClient unverified() {
        return new ClientBuilder().setVerifyingSsl(false).build().getHttpClient();
    }

    /** Returns the URL of its etcd. */
    public String etcd() {
        return etcdUrl;
    }

    @Override
    public URI url() {
        return url;
    }

    @Override
    public RestClient client() {
        return client;
    }

    @Override
    public Optional<String> kubeconfig() {
        return command.token().isEmpty() ? Optional.empty() : Optional.of(kubeconfigText());
    }

    private String kubeconfigText() {
        return """
        apiVersion: v1
        kind: Config
        clusters: [{name: test, cluster: {server: "%s", insecure-skip-tls-verify: true}}]
        users: [{name: admin, user: {token: "%s"}}]
        contexts: [{name: test, context: {cluster: test, user: admin}}]
        current-context: test
        """
                .formatted(url, command.token());
    }

    /** Returns the process id of the API server. */
    public long pid() {
        return Objects.requireNonNull(apiServer).pid();
    }

    /** Returns the process id of its etcd. */
    public long etcdPid() {
        return etcd.pid();
    }

    @Override
    public void start() {
        apiServer = ServerProcess.start(command.command(), directory.resolve("kube-apiserver.log"));
        awaitHealth();
    }

    private void awaitHealth() {
        await(() -> answers(client, "/readyz") && answers(client, "/api/v1/namespaces"));
    }

    private void await(BooleanSupplier ready) {
        if (apiServer != null) {
            apiServer.await(ready, START_LIMIT);
        }
    }

    private static boolean answers(RestClient client, String path) {
        try {
            return client.get(path).code() == 200;
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    @Override
    public void stop() {
        if (apiServer != null) {
            apiServer.stop();
            apiServer = null;
        }
    }

    @Override
    public void restart() {
        stop();
        start();
    }

    @Override
    public ObjectNode create(Manifest manifest) {
        return client.create(manifest);
    }

    @Override
    public ObjectNode replace(Manifest manifest) {
        return client.replace(manifest);
    }

    @Override
    public ObjectNode patch(ResourceType type, String namespace, String name, String mergePatch) {
        return client.write("PATCH", RestClient.object(type, namespace, name), mergePatch);
    }

    @Override
    public ObjectNode patchStatus(
            ResourceType type, String namespace, String name, String mergePatch) {
        String target = RestClient.object(type, namespace, name) + "/status";
        return client.write("PATCH", target, mergePatch);
    }

    @Override
    public void delete(ResourceType type, String namespace, String name) {
        String target = RestClient.object(type, namespace, name) + "?gracePeriodSeconds=0";
        client.write("DELETE", target, null);
    }

    @Override
    public ObjectNode list(ResourceType type) {
        return client.read(type.collectionPath());
    }

    @Override
    public void define(ResourceType type) {
        if (client.get(definitionOf(type)).code() == 404) {
            client.write("POST", DEFINITIONS, JsonTrees.text(definition(type)));
        }
        await(() -> isServed(type));
    }

    @Override
    public void withdraw(ResourceType type) {
        client.send("DELETE", definitionOf(type), null);
        await(() -> !isServed(type) && client.get(definitionOf(type)).code() == 404);
    }

    @Override
    public void serveInstead(ResourceType before, ResourceType after) {
        ObjectNode patch = JsonTrees.object();
        ArrayNode versions = patch.putObject("spec").putArray("versions");
        versions.add(version(before, false));
        versions.add(version(after, true));
        client.write("PATCH", definitionOf(before), JsonTrees.text(patch));
        await(() -> isServed(after) && !isServed(before));
    }

    private boolean isServed(ResourceType type) {
        return client.get(type.collectionPath()).code() == 200
                && client.get("/apis/" + type.apiVersion()).body().contains(type.plural());
    }

    private static String definitionOf(ResourceType type) {
        return DEFINITIONS + "/" + type.plural() + "." + type.group();
    }

    private static ObjectNode definition(ResourceType type) {
        ObjectNode definition =
                JsonTrees.parse(
                        """
                        {"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1"}
                        """);
        definition.withObject("metadata").put("name", type.plural() + "." + type.group());
        ObjectNode spec = definition.withObject("spec").put("group", type.group());
        spec.put("scope", type.namespaced() ? "Namespaced" : "Cluster");
        spec.putArray("versions").add(version(type, true));
        ObjectNode names = spec.putObject("names").put("kind", type.kind());
        names.put("plural", type.plural()).put("singular", type.singular());
        type.shortNames().forEach(names.putArray("shortNames")::add);
        return definition;
    }

    private static ObjectNode version(ResourceType type, boolean served) {
        return JsonTrees.parse(
                        """
                        {"schema": {"openAPIV3Schema": {"type": "object",
                          "x-kubernetes-preserve-unknown-fields": true}}}
                        """)
                .put("name", type.version())
                .put("served", served)
                .put("storage", served);
    }

    @Override
    public void ensureNamespace(String name) {
        if (client.get("/api/v1/namespaces/" + name).code() == 404) {
            create(Manifests.namespace(name));
        }
    }

    @Override
    public long revision() {
        return JsonTrees.revision(client.get("/api/v1/namespaces?limit=1").json());
    }

    /** Suspends the process of the server. All connections stay open. */
    public void freeze() {
        if (apiServer != null) {
            apiServer.signal("STOP");
        }
    }

    /** Resumes the server after {@link #freeze}. */
    public void thaw() {
        if (apiServer != null) {
            apiServer.signal("CONT");
        }
    }

    /** Stops etcd. */
    public void stopEtcd() {
        etcd.stop();
    }

    /** Starts etcd again with its data, and returns when the server is healthy. */
    public void startEtcd() {
        etcd = startedEtcd();
        awaitEtcd();
        awaitHealth();
    }

    /** Forgets all states before the present one. */
    public void compact() {
        JsonNode present = etcdClient.write("POST", "/v3/kv/range", "{\"key\": \"AA==\"}");
        String revision = present.at("/header/revision").asString();
        etcdClient.write("POST", "/v3/kv/compaction", "{\"revision\": " + revision + "}");
    }

    /**
     * Deletes the stored objects of a collection and namespace in one transaction, as an expired
     * lease does with Events.
     *
     * @param collection such as {@code configmaps}
     */
    public void expire(String collection, String namespace) {
        String prefix = "/registry/" + collection + "/" + namespace;
        etcdClient.write(
                "POST",
                "/v3/kv/deleterange",
                "{\"key\": \"%s\", \"range_end\": \"%s\"}"
                        .formatted(base64(prefix + "/"), base64(prefix + "0")));
    }

    private static String base64(String key) {
        return Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.UTF_8));
    }

    /** Copies what etcd has stored, which is away meanwhile, and returns the copy. */
    public Path backUp() {
        stopEtcd();
        Path copy = directory.resolve("backup");
        Unchecked.run(() -> FileSystemUtils.copyRecursively(data(), copy));
        startEtcd();
        return copy;
    }

    /** Stores again what was stored at the time of a backup. Revisions go back. */
    public void restore(Path backup) {
        replaceData(() -> FileSystemUtils.copyRecursively(backup, data()));
    }

    @Override
    public void wipe() {
        replaceData(() -> {});
    }

    private void replaceData(Unchecked.Action filling) {
        stop();
        stopEtcd();
        deleteTree(data());
        Unchecked.run(filling);
        etcd = startedEtcd();
        awaitEtcd();
        start();
    }

    @Override
    public void close() {
        stop();
        stopEtcd();
        deleteTree(directory);
    }

    private static void deleteTree(Path root) {
        Unchecked.run(() -> FileSystemUtils.deleteRecursively(root));
    }

    private static Path temporaryDirectory() {
        return Unchecked.call(() -> Files.createTempDirectory("kubemirror-apiserver"));
    }
}
