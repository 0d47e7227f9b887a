package io.kubemirror.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.testing.JsonTrees;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Records what etcd stores from its start on. */
final class EtcdWatch implements AutoCloseable {

    private static final long RETRY = 50_000_000;

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI etcd;
    private final History history;
    private final ConcurrentHashMap<String, AtomicLong> reached = new ConcurrentHashMap<>();

    EtcdWatch(String etcd, History history) {
        this.etcd = URI.create(etcd);
        this.history = history;
    }

    /** Begins to record a type. */
    void follow(StoredType type) {
        reached.put(type.plural(), new AtomicLong());
        var _ = Thread.ofVirtual().start(() -> read(type));
    }

    /** Reads until the run is over, also after etcd was restarted. */
    private void read(StoredType type) {
        String prefix = "/registry/" + type.plural();
        while (!http.isTerminated()) {
            String body =
                    """
                    {"create_request": {"key": "%s", "range_end": "%s", "start_revision": "%d"}}
                    """
                            .formatted(
                                    encoded(prefix + "/"),
                                    encoded(prefix + "0"),
                                    reached(type) + 1);
            try (Stream<String> lines =
                    http.send(post("/v3/watch", body), HttpResponse.BodyHandlers.ofLines())
                            .body()) {
                lines.forEach(line -> record(type.plural(), JsonTrees.parse(line).path("result")));
            } catch (IOException | RuntimeException e) {
                // The last line may be cut off.
                LockSupport.parkNanos(RETRY);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void record(String plural, JsonNode result) {
        long at = System.nanoTime();
        for (JsonNode event : result.path("events")) {
            JsonNode stored = event.path("kv");
            long revision = Long.parseLong(stored.path("mod_revision").asString());
            String[] key = decoded(stored.path("key").asString()).split("/", -1);
            if (!StoredType.isOurs(key[key.length - 2])) {
                continue;
            }
            String name = key[key.length - 2] + "/" + key[key.length - 1];
            boolean deleted = event.path("type").asString("").equals("DELETE");
            history.stored(
                    plural,
                    deleted
                            ? new Version(at, name, "", revision, "", "", true)
                            : StoredType.version(
                                    JsonTrees.parse(decoded(stored.path("value").asString())),
                                    revision,
                                    at,
                                    false));
            Objects.requireNonNull(reached.get(plural)).set(revision);
        }
    }

    /** The revision of the last change of a type. */
    long reached(StoredType type) {
        return Objects.requireNonNull(reached.get(type.plural())).get();
    }

    /** The revision up to which all changes of all types are known. */
    long reached() {
        return StoredType.ALL.stream().mapToLong(this::reached).min().orElse(0);
    }

    /** Forgets what was before a revision. */
    void compact(long revision) throws IOException, InterruptedException {
        http.send(
                post("/v3/kv/compaction", "{\"revision\": \"" + revision + "\"}"),
                HttpResponse.BodyHandlers.discarding());
    }

    private HttpRequest post(String path, String body) {
        return HttpRequest.newBuilder(etcd.resolve(path))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    private static String decoded(String text) {
        return new String(Base64.getDecoder().decode(text), UTF_8);
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
