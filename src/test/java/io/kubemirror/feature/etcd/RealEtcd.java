package io.kubemirror.feature.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.Manifest;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.UpstreamServer;
import io.kubemirror.testing.real.ServerBinaries;
import io.kubemirror.testing.real.ServerPorts;
import io.kubemirror.testing.real.ServerProcess;
import io.kubemirror.testing.real.WithEtcd;

import org.springframework.util.FileSystemUtils;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A cluster of etcd members on free ports of loopback, in which a test stores JSON documents as an
 * API server or Calico does. Tests use the JSON gateway of etcd, which kubemirror does not.
 */
public final class RealEtcd implements UpstreamServer {

    private static final Duration START_LIMIT = Duration.ofMinutes(3);

    private final ServerBinaries serverBinaries;
    private final Path directory;
    private final List<ServerPorts> ports;
    private final List<String> flags;
    private final List<ServerProcess> members = new ArrayList<>();

    private RealEtcd(ServerBinaries serverBinaries, int size, List<String> flags) {
        this.serverBinaries = serverBinaries;
        this.ports = Stream.generate(ServerPorts::free).limit(size).toList();
        this.flags = flags;
        this.directory = Unchecked.call(() -> Files.createTempDirectory("kubemirror-etcd"));
        start();
    }

    /**
     * Starts a cluster.
     *
     * @throws IllegalStateException if there is no etcd to start, see {@link WithEtcd}
     */
    public static RealEtcd of(int size, String... flags) {
        return new RealEtcd(
                ServerBinaries.find()
                        .orElseThrow(
                                () ->
                                        new IllegalStateException(
                                                ServerBinaries.VARIABLE
                                                        + " names no directory with etcd")),
                size,
                List.of(flags));
    }

    /** The URLs of the members. */
    public List<String> endpoints() {
        return ports.stream().map(ServerPorts::etcd).toList();
    }

    @Override
    public EtcdClient connect() {
        return EtcdFixtures.client(endpoints().toArray(String[]::new));
    }

    private static String prefix(ResourceType type) {
        return EtcdFixtures.STORED.stream()
                .filter(stored -> stored.type().equals(type))
                .map(StoredCollection::prefix)
                .findFirst()
                .orElseThrow();
    }

    /** The key of an object. */
    public static String key(ResourceType type, String namespace, String name) {
        return prefix(type) + JsonTrees.key(namespace, name);
    }

    @Override
    public ObjectNode create(Manifest manifest) {
        ObjectNode object = manifest.json();
        object.withObjectProperty("metadata")
                .put("uid", UUID.randomUUID().toString())
                .put("creationTimestamp", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        return store(manifest, object);
    }

    @Override
    public ObjectNode replace(Manifest manifest) {
        ObjectNode object = manifest.json();
        JsonNode before =
                read(key(manifest.type(), manifest.namespace(), manifest.name())).at("/metadata");
        object.withObjectProperty("metadata").set("uid", before.get("uid"));
        object.withObjectProperty("metadata")
                .set("creationTimestamp", before.get("creationTimestamp"));
        return store(manifest, object);
    }

    private ObjectNode store(Manifest manifest, ObjectNode object) {
        String key = key(manifest.type(), manifest.namespace(), manifest.name());
        long revision = put(key, JsonTrees.text(object).getBytes(UTF_8));
        return JsonTrees.withRevision(object, revision);
    }

    /** Stores a value and returns its revision. */
    public long put(String key, byte[] value) {
        ObjectNode request = JsonTrees.object().put("key", encoded(key));
        request.put("value", Base64.getEncoder().encodeToString(value));
        return revision(post("/v3/kv/put", request));
    }

    @Override
    public void delete(ResourceType type, String namespace, String name) {
        post(
                "/v3/kv/deleterange",
                JsonTrees.object().put("key", encoded(key(type, namespace, name))));
    }

    /** Deletes all objects of a type in one transaction. */
    public void deleteAll(ResourceType type) {
        post("/v3/kv/deleterange", range(prefix(type)));
    }

    private ObjectNode read(String key) {
        JsonNode response = post("/v3/kv/range", JsonTrees.object().put("key", encoded(key)));
        return object(response.at("/kvs/0"));
    }

    private static ObjectNode object(JsonNode entry) {
        byte[] value = Base64.getDecoder().decode(entry.path("value").asString());
        return JsonTrees.withRevision(
                JsonTrees.parse(new String(value, UTF_8)),
                Long.parseLong(entry.path("mod_revision").asString()));
    }

    @Override
    public ObjectNode list(ResourceType type) {
        ObjectNode list = JsonTrees.object();
        JsonNode response = post("/v3/kv/range", range(prefix(type)));
        for (JsonNode entry : response.path("kvs")) {
            list.withArrayProperty("items").add(object(entry));
        }
        return list;
    }

    private static ObjectNode range(String prefix) {
        String end = prefix.substring(0, prefix.length() - 1) + '0';
        return JsonTrees.object().put("key", encoded(prefix)).put("range_end", encoded(end));
    }

    private static String encoded(String key) {
        return Base64.getEncoder().encodeToString(key.getBytes(UTF_8));
    }

    /** Sends a request to the gateway of any member that runs. */
    public ObjectNode post(String path, ObjectNode request) {
        for (int i = 0; i < ports.size(); i++) {
            if (members.get(i).isRunning()) {
                return client(i).write("POST", path, JsonTrees.text(request));
            }
        }
        throw new IllegalStateException("no member runs");
    }

    private RestClient client(int member) {
        return RestClient.of(URI.create(ports.get(member).etcd()));
    }

    /** The present revision. */
    public long revision() {
        return revision(post("/v3/kv/range", JsonTrees.object().put("key", encoded("x"))));
    }

    private static long revision(JsonNode response) {
        return Long.parseLong(response.at("/header/revision").asString());
    }

    /** Forgets all states before the present one. */
    public void compact() {
        ObjectNode request = JsonTrees.object().put("revision", Long.toString(revision()));
        post("/v3/kv/compaction", request.put("physical", true));
    }

    /** Namespaces are a part of keys. */
    @Override
    public void ensureNamespace(String name) {}

    /** {@inheritDoc} All states before the present one are forgotten. */
    @Override
    public void restart() {
        stop();
        start();
        compact();
    }

    @Override
    public void stop() {
        members.forEach(ServerProcess::stop);
        members.clear();
    }

    /** Stops a member. */
    public void stopMember(int member) {
        members.get(member).stop();
    }

    /** Waits until the members that run have a leader. */
    public void awaitLeader() {
        IntStream.range(0, ports.size())
                .filter(member -> members.get(member).isRunning())
                .forEach(this::awaitHealth);
    }

    /** Starts a member again with its data, and waits until it is healthy. */
    public void startMember(int member) {
        members.set(member, started(member));
        awaitHealth(member);
    }

    @Override
    public void start() {
        IntStream.range(0, ports.size()).forEach(member -> members.add(started(member)));
        IntStream.range(0, ports.size()).forEach(this::awaitHealth);
    }

    private void awaitHealth(int member) {
        members.get(member)
                .await(
                        () -> {
                            try {
                                return client(member).get("/health").body().contains("true");
                            } catch (UncheckedIOException e) {
                                return false;
                            }
                        },
                        START_LIMIT);
    }

    private ServerProcess started(int member) {
        ServerPorts own = ports.get(member);
        List<String> command =
                new ArrayList<>(
                        List.of(
                                serverBinaries.etcd().toString(),
                                "--name=m" + member,
                                "--data-dir=" + data(member),
                                "--unsafe-no-fsync",
                                "--log-level=warn",
                                "--listen-client-urls=" + own.etcd(),
                                "--advertise-client-urls=" + own.etcd(),
                                "--listen-peer-urls=" + own.peer(),
                                "--initial-advertise-peer-urls=" + own.peer(),
                                "--initial-cluster="
                                        + IntStream.range(0, ports.size())
                                                .mapToObj(i -> "m" + i + "=" + ports.get(i).peer())
                                                .collect(Collectors.joining(","))));
        command.addAll(flags);
        return ServerProcess.start(command, directory.resolve("etcd-" + member + ".log"));
    }

    private Path data(int member) {
        return directory.resolve("data-" + member);
    }

    @Override
    public void wipe() {
        stop();
        IntStream.range(0, ports.size()).forEach(member -> delete(data(member)));
        start();
    }

    @Override
    public void close() {
        stop();
        delete(directory);
    }

    private static void delete(Path root) {
        Unchecked.run(() -> FileSystemUtils.deleteRecursively(root));
    }
}
