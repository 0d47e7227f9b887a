package io.kubemirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;
import io.micrometer.core.instrument.MeterRegistry;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Many clients write through kubemirror to a real API server, and read at once: no read shows an
 * object as it was before a write. The number of pairs is {@code writes.pairs}.
 */
@WithApiServer(secure = true)
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(1800)
class RealWritesTest {

    private static final int CLIENTS = 50;
    private static final int PAIRS = Integer.getInteger("writes.pairs", 2_000);

    private final ConfigurableApplicationContext kubemirror;
    private final URI address;
    private final String token;
    private final String namespace;
    private final Queue<String> stale = new ConcurrentLinkedQueue<>();
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger remembered = new AtomicInteger();

    RealWritesTest(ApiServer server, TestNamespace namespace, @TempDir Path directory)
            throws IOException {
        String config = server.kubeconfig().orElseThrow();
        Path file = Files.writeString(directory.resolve("config"), config);
        this.namespace = namespace.name();
        kubemirror =
                ApplicationLauncher.with(
                        "kubemirror.upstream.server=",
                        "kubemirror.upstream.kubeconfig=" + file,
                        "kubemirror.resources[0].resource=configmaps",
                        "kubemirror.pass-through.mode=client");
        int port =
                Objects.requireNonNull(((WebServerApplicationContext) kubemirror).getWebServer())
                        .getPort();
        address = URI.create("http://127.0.0.1:" + port);
        Matcher found = Pattern.compile("token: *\"?([^\\s\"}]+)").matcher(config);
        assertThat(found.find()).isTrue();
        token = found.group(1);
    }

    private RestClient client() {
        return RestClient.of(address).withToken(token);
    }

    @BeforeAll
    void awaitMirror() {
        Awaitility.await()
                .atMost(WaitLimit.GENEROUS)
                .until(() -> client().get("/api/v1/configmaps").code() == 200);
    }

    @AfterAll
    void close() {
        kubemirror.close();
    }

    @Test
    void no_read_is_from_before_a_write() {
        long seed = Long.getLong("writes.seed", new Random().nextLong());
        System.out.println("seed " + seed);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < CLIENTS; i++) {
                int number = i;
                threads.execute(() -> pairs(number, new Random(seed + number)));
            }
        }
        System.out.printf(
                "%d reads, %d from memory; waited: %s%n",
                reads.get(),
                remembered.get(),
                kubemirror
                        .getBean(MeterRegistry.class)
                        .find("kubemirror.write.waits")
                        .timers()
                        .stream()
                        .map(
                                timer ->
                                        timer.getId().getTag("outcome")
                                                + " "
                                                + timer.count()
                                                + ", mean ms "
                                                + timer.mean(
                                                        java.util.concurrent.TimeUnit.MILLISECONDS))
                        .toList());
        assertThat(stale).as("seed %d", seed).isEmpty();
        assertThat(reads.get()).isGreaterThan(PAIRS / 2);
    }

    /** One client writes an object of its own, and reads it in all ways. */
    private void pairs(int number, Random random) {
        RestClient client = client();
        String collection = "/api/v1/namespaces/" + namespace + "/configmaps";
        String name = "written-" + number;
        boolean exists = false;
        for (int i = 0; i < PAIRS / CLIENTS; i++) {
            String value = number + "-" + i;
            String label = random.nextBoolean() ? "v" : "w";
            String body =
                    ("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\","
                                    + "\"labels\":{\"app\":\"%s\"}},\"data\":{\"k\":\"%s\"}}")
                            .formatted(name, label, value);
            boolean delete = exists && random.nextInt(4) == 0;
            RestResponse written =
                    delete
                            ? client.send("DELETE", collection + "/" + name, null)
                            : exists
                                    ? client.send(
                                            random.nextBoolean() ? "PUT" : "PATCH",
                                            collection + "/" + name,
                                            body)
                                    : client.send("POST", collection, body);
            if (written.code() >= 300) {
                stale.add("write " + written.code() + ": " + written.body());
                return;
            }
            exists = !delete;
            read(client, collection, name, delete ? "" : value, label, random.nextInt(4));
        }
    }

    private void read(
            RestClient client,
            String collection,
            String name,
            String value,
            String label,
            int kind) {
        RestResponse answer =
                switch (kind) {
                    case 0 -> client.get(collection + "/" + name);
                    case 1 -> client.get(collection + "?resourceVersion=0");
                    case 2 -> client.get(collection + "?labelSelector=app%3D" + label);
                    default -> client.get(collection + "?fieldSelector=metadata.name%3D" + name);
                };
        reads.incrementAndGet();
        if (!answer.header("kubemirror-state").equals("proxied")) {
            remembered.incrementAndGet();
        }
        String shown = "";
        if (kind == 0 && answer.code() == 200) {
            shown = JsonTrees.parse(answer.body()).path("data").path("k").asString();
        } else if (answer.code() == 200) {
            for (JsonNode item : JsonTrees.parse(answer.body()).path("items")) {
                if (item.path("metadata").path("name").asString().equals(name)) {
                    shown = item.path("data").path("k").asString();
                }
            }
        }
        boolean absent = kind == 0 ? answer.code() == 404 : answer.code() == 200;
        boolean right = value.isEmpty() ? absent && shown.isEmpty() : shown.equals(value);
        if (!right) {
            stale.add(
                    "%s, read %d of %s: %d with '%s' in place of '%s'"
                            .formatted(name, kind, name, answer.code(), shown, value));
        }
    }
}
