package io.kubemirror.feature.etcd;

import static io.kubemirror.testing.Manifests.widget;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.real.WithEtcd;
import io.kubemirror.testing.scripted.ServedTypes;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.JsonNode;

/** The whole application with resources in a real etcd. */
@WithEtcd
@ExtendWith(OutputCaptureExtension.class)
class EtcdApplicationTest {

    private static final String WIDGETS = "/apis/example.com/v1/widgets";

    @AutoClose private final RealEtcd etcd = RealEtcd.of(1);

    private ConfigurableApplicationContext mirroring(String... more) {
        String[] widgets = {
            "kubemirror.upstream.etcd.endpoints=" + String.join(",", etcd.endpoints()),
            "kubemirror.upstream.etcd.acknowledge-no-authorization=true",
            "kubemirror.resources[0].resource=widgets.v1.example.com",
            "kubemirror.resources[0].etcd.prefix=/registry/example.com/widgets/",
            "kubemirror.resources[0].etcd.kind=Widget"
        };
        return ApplicationLauncher.with(ApplicationLauncher.and(widgets, more));
    }

    private static RestClient client(ConfigurableApplicationContext application) {
        RestClient client = ApplicationLauncher.api(application);
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> client.get(WIDGETS).code() == 200);
        return client;
    }

    @Test
    void resource_in_etcd_is_served_without_an_api_server() {
        long revision = etcd.create(widget("a", "w", 3)).at("/metadata/resourceVersion").asLong();
        try (ConfigurableApplicationContext application = mirroring()) {
            RestClient client = client(application);

            JsonNode list = client.get(WIDGETS).json();
            assertThat(list.path("kind").asString()).isEqualTo("WidgetList");
            assertThat(list.at("/items/0/metadata/resourceVersion").asLong()).isEqualTo(revision);
            assertThat(list.at("/items/0/spec/size").asInt()).isEqualTo(3);
            assertThat(client.get("/apis/example.com/v1/namespaces/a/widgets/w").code())
                    .isEqualTo(200);
            assertThat(client.get("/api").code()).isEqualTo(200);
            assertThat(client.get("/apis").body()).contains("example.com/v1");
            assertThat(client.get("/apis/example.com/v1").body())
                    .contains("\"name\":\"widgets\"", "\"singularName\":\"widget\"");
            assertThat(client.get("/version").code()).isEqualTo(404);
            String table = "application/json;as=Table;v=v1;g=meta.k8s.io";
            JsonNode columns =
                    client.get(WIDGETS, "Accept", table).json().path("columnDefinitions");
            assertThat(columns.valueStream())
                    .extracting(column -> column.path("name").asString())
                    .containsExactly("Name", "Age");
        }
    }

    @Test
    void stored_mirror_is_used_for_the_same_prefix_alone(
            CapturedOutput output, @TempDir Path directory) {
        etcd.create(widget("a", "w", 3));
        String stored = "kubemirror.persistence.directory=" + directory;
        for (int i = 0; i < 2; i++) {
            try (ConfigurableApplicationContext application = mirroring(stored)) {
                client(application);
            }
        }
        assertThat(output).containsOnlyOnce("widgets.v1.example.com: restored");
        try (ConfigurableApplicationContext application =
                mirroring(stored, "kubemirror.resources[0].etcd.prefix=/other/")) {
            assertThat(names(client(application).get(WIDGETS).json())).isEmpty();
            assertThat(output).contains("for another server");
        }
    }

    private static List<String> names(JsonNode list) {
        return list.path("items")
                .valueStream()
                .map(item -> item.at("/metadata/name").asString())
                .toList();
    }

    /** Without it, the list would be partial. The log tells the prefix and the remedy, once. */
    @Test
    void value_that_is_not_json_keeps_the_mirror_from_being_served(CapturedOutput output) {
        etcd.create(widget("a", "w", 3));
        byte[] protobuf = "k8s\0\n\u0015secret content".getBytes(StandardCharsets.UTF_8);
        etcd.put(RealEtcd.key(ServedTypes.WIDGETS, "a", "p"), protobuf);
        etcd.put(RealEtcd.key(ServedTypes.WIDGETS, "a", "q"), protobuf);
        try (ConfigurableApplicationContext application = mirroring()) {
            RestClient client = ApplicationLauncher.api(application);
            Awaitility.await().until(() -> output.getAll().contains("storage-media-type"));
            assertThat(client.get(WIDGETS).code()).isEqualTo(429);

            etcd.delete(ServedTypes.WIDGETS, "a", "p");
            etcd.delete(ServedTypes.WIDGETS, "a", "q");

            Awaitility.await().until(() -> client.get(WIDGETS).code() == 200);
            assertThat(names(client.get(WIDGETS).json())).containsExactly("w");
        }
        assertThat(output.getAll().lines().filter(line -> line.contains("storage-media-type")))
                .singleElement()
                .asString()
                .contains("WARN", "/registry/example.com/widgets/")
                .doesNotContain("secret content", "a/p", "a/q");
    }
}
