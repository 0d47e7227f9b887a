package io.kubemirror.parity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** Both sides put 100,000 objects into the same shards. */
@WithApiServer(own = true, flags = "--feature-gates=ShardedListAndWatch=true")
@Timeout(600)
class ShardedUidsTest {

    private static final int OBJECTS = 100_000;
    private static final int AT_ONCE = 100;

    @Test
    void shards_of_100_000_objects_are_those_of_the_api_server(ApiServer server) {
        assumeThat(server).as("a server with nothing in it").isInstanceOf(RealApiServer.class);
        RandomGenerator random = new SplittableRandom(11);
        fill((RealApiServer) server, random);
        server.restart();
        try (ConfigurableApplicationContext kubemirror =
                ApplicationLauncher.with(
                        "kubemirror.upstream.server=" + server.url(),
                        "kubemirror.resources[0].resource=configmaps")) {
            String port = kubemirror.getEnvironment().getRequiredProperty("local.server.port");
            RestClient mirror = RestClient.of(URI.create("http://127.0.0.1:" + port));
            await().atMost(WaitLimit.GENEROUS)
                    .until(() -> mirror.get("/api/v1/configmaps?limit=1").code() == 200);
            int sum = 0;
            long start = 0;
            for (int shard = 1; shard <= 5; shard++) {
                long end = shard == 5 ? 0 : start + random.nextLong(1L << 62);
                String target = target(start, end);
                List<String> expected = shown(server.client(), target);
                assertThat(shown(mirror, target)).isEqualTo(expected);
                sum += expected.size();
                start = end;
            }
            assertThat(sum).isEqualTo(OBJECTS);
        }
    }

    private static String target(long start, long end) {
        String selector =
                "shardRange(object.metadata.uid, '0x%016x', '0x%s')"
                        .formatted(start, end == 0 ? "1" + "0".repeat(16) : "%016x".formatted(end));
        return "/api/v1/namespaces/default/configmaps?resourceVersion=0&shardSelector="
                + URLEncoder.encode(selector, StandardCharsets.UTF_8);
    }

    private static List<String> shown(RestClient client, String target) {
        List<String> uids = new ArrayList<>();
        for (var item : JsonTrees.parse(client.get(target).body()).path("items")) {
            uids.add(item.path("metadata").path("uid").asString());
        }
        return uids;
    }

    /** Writes to etcd, which is much faster than the API. */
    private static void fill(RealApiServer server, RandomGenerator random) {
        RestClient etcd = RestClient.of(URI.create(server.etcd()));
        for (int from = 0; from < OBJECTS; from += AT_ONCE) {
            List<String> puts = new ArrayList<>();
            for (int i = from; i < from + AT_ONCE; i++) {
                String uid = new UUID(random.nextLong(), random.nextLong()).toString();
                puts.add(
                        "{\"requestPut\":{\"key\":\"%s\",\"value\":\"%s\"}}"
                                .formatted(
                                        base64("/registry/configmaps/default/c%06d".formatted(i)),
                                        base64(
                                                "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"c%06d\",\"namespace\":\"default\",\"uid\":\"%s\"}}"
                                                        .formatted(i, uid))));
            }
            String body = "{\"success\":[" + String.join(",", puts) + "]}";
            assertThat(etcd.send("POST", "/v3/kv/txn", body).code()).isEqualTo(200);
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
