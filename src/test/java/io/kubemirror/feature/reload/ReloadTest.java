package io.kubemirror.feature.reload;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionProperties;
import io.kubemirror.api.server.OriginGuard.Hosts;
import io.kubemirror.app.config.CurrentProperties;
import io.kubemirror.feature.reload.ConfigurationStatus.Difference;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.WatchReader;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests that changed configuration files take effect in the running application. */
@ExtendWith(OutputCaptureExtension.class)
class ReloadTest {

    private static final String PODS =
            """
            kubemirror:
              resources:
                - resource: pods
            """;

    private static final String LIMITED = PODS + "  connections:\n    max: 7\n";

    @RegisterExtension private final ReloadFixture served = new ReloadFixture();

    private ConnectionProperties connections() {
        return (ConnectionProperties) served.bean("connectionProperties", Supplier.class).get();
    }

    private int max() {
        return connections().max();
    }

    @Test
    void changed_file_takes_effect(CapturedOutput output) {
        served.write(PODS).start().write(LIMITED);

        String line = "Reloaded the configuration: kubemirror.connections.max\n";
        ReloadFixture.await(() -> output.getOut().contains(line));
        assertThat(max()).isEqualTo(7);
        assertThat(served.status().problem()).isEmpty();

        served.reload(PODS);
        assertThat(max()).isEqualTo(ApiFixture.CONNECTIONS.max());
    }

    @Test
    void mistake_keeps_the_old_configuration_and_is_reported(CapturedOutput output) {
        served.write(LIMITED).start().reload(PODS + "  conections:\n    max: 9\n");
        String problem =
                "kubemirror.conections.max (%s, line 5): unknown property; did you mean kubemirror.connections?"
                        .formatted(served.file());

        assertThat(max()).isEqualTo(7);
        assertThat(served.status().problem()).isEqualTo(problem);
        assertThat(output)
                .containsOnlyOnce("The configuration files are not in force: " + problem + "\n");
        assertThat(served.management().get("/actuator/health/configuration").body())
                .contains("\"DEGRADED\"", problem);
        // Once the mirror has content.
        ReloadFixture.await(() -> served.management().get("/actuator/health").code() == 200);

        served.reload(PODS);
        assertThat(max()).isEqualTo(ApiFixture.CONNECTIONS.max());
        assertThat(served.status().problem()).isEmpty();
        assertThat(served.management().get("/actuator/health/configuration").body())
                .contains("\"UP\"")
                .doesNotContain("problem");
    }

    @Test
    void what_an_internal_error_keeps_from_taking_effect_is_reported_and_tried_again() {
        served.write(PODS).start();
        AtomicBoolean failing = new AtomicBoolean(true);
        AtomicInteger limit = new AtomicInteger();
        served.bean(CurrentProperties.class)
                .listen(
                        _ -> connections().max(),
                        (_, now) -> {
                            if (failing.get()) {
                                throw new IllegalStateException("as scripted");
                            }
                            limit.set(now);
                        });

        served.reload(LIMITED);

        assertThat(served.status().problem())
                .startsWith("only a part of them is, because of an internal error (Illegal");
        failing.set(false);
        ReloadFixture.await(() -> served.status().problem().isEmpty());
        assertThat(limit).hasValue(7);
    }

    @Test
    void deleted_file_is_a_mistake_if_nothing_else_names_resources() throws IOException {
        served.write(LIMITED).start();
        Files.delete(served.file());
        // The file may disappear while it is read, which is a mistake as well.
        ReloadFixture.await(
                () -> served.status().problem().startsWith("kubemirror.resources: is empty"));

        assertThat(max()).isEqualTo(7);
    }

    @Test
    void file_that_is_created_later_takes_effect() {
        served.start("kubemirror.resources[0].resource=pods");

        served.reload("kubemirror:\n  connections:\n    max: 7\n");
        assertThat(max()).isEqualTo(7);
    }

    @Test
    void mounted_config_map_takes_effect_when_its_symlink_is_swapped() throws IOException {
        Path mount = served.directory();
        volume(mount, "..one", PODS);
        Files.createSymbolicLink(mount.resolve("..data"), Path.of("..one"));
        Files.createSymbolicLink(
                mount.resolve("application.yaml"), Path.of("..data", "application.yaml"));
        served.start();

        volume(mount, "..two", LIMITED);
        Files.createSymbolicLink(mount.resolve("..data_tmp"), Path.of("..two"));
        Files.move(
                mount.resolve("..data_tmp"),
                mount.resolve("..data"),
                StandardCopyOption.ATOMIC_MOVE);
        ReloadFixture.await(() -> max() == 7);
    }

    private static void volume(Path mount, String name, String yaml) throws IOException {
        Path version = Files.createDirectory(mount.resolve(name));
        Files.writeString(version.resolve("application.yaml"), yaml);
    }

    @Test
    void imported_file_takes_effect() throws IOException {
        Path imported = served.directory().resolve("limits.yaml");
        Files.writeString(imported, "kubemirror.connections.max: 5");
        served.write("spring.config.import: file:" + imported + "\n" + PODS).start();
        assertThat(max()).isEqualTo(5);

        Files.writeString(imported, "kubemirror.connections.max: 6");
        ReloadFixture.await(() -> max() == 6);
    }

    @Test
    void command_line_keeps_precedence() {
        served.write(PODS)
                .start("kubemirror.connections.max=3")
                .reload(LIMITED + "    max-per-client: 2\n");

        assertThat(max()).isEqualTo(3);
        assertThat(connections().maxPerClient()).isEqualTo(2);
    }

    @Test
    void what_needs_a_restart_is_named_and_the_rest_takes_effect(CapturedOutput output) {
        served.write(PODS)
                .start()
                .reload(
                        LIMITED
                                + """
                                  memory:
                                    limit: 50MB
                                  upstream:
                                    read-timeout: 9s
                                server:
                                  max-http-request-header-size: 2MB
                                """);

        assertThat(max()).isEqualTo(7);
        assertThat(served.status().restart())
                .containsExactly(
                        "kubemirror.memory.limit",
                        "kubemirror.upstream.read-timeout",
                        "server.max-http-request-header-size");
        assertThat(output)
                .contains(
                        "Needs a restart to take effect: kubemirror.memory.limit,"
                                + " kubemirror.upstream.read-timeout,"
                                + " server.max-http-request-header-size\n")
                .doesNotContain("2MB");
        assertThat(served.management().get("/actuator/health/configuration").body())
                .contains("\"UP\"", "needsRestart", "server.max-http-request-header-size");

        served.reload(PODS);
        assertThat(served.status().restart()).isEmpty();
    }

    @Test
    void log_levels_take_effect_and_go_back() {
        served.write(PODS).start();
        assertThat(LoggerFactory.getLogger("io.kubemirror.x").isDebugEnabled()).isFalse();
        String levels = "logging:\n  level:\n    io.kubemirror.x: debug\n    web: debug\n";

        served.reload(PODS + levels + "    org.springframework: info\n");
        assertThat(LoggerFactory.getLogger("io.kubemirror.x").isDebugEnabled()).isTrue();
        assertThat(LoggerFactory.getLogger("org.springframework.http").isDebugEnabled()).isTrue();
        assertThat(LoggerFactory.getLogger("org.springframework").isInfoEnabled()).isTrue();

        served.reload(PODS);
        assertThat(LoggerFactory.getLogger("io.kubemirror.x").isDebugEnabled()).isFalse();
        assertThat(LoggerFactory.getLogger("org.springframework.http").isDebugEnabled()).isFalse();
        assertThat(LoggerFactory.getLogger("org.springframework").isInfoEnabled()).isFalse();
    }

    @Test
    void unknown_log_level_is_a_mistake() {
        served.write(PODS).start().reload(PODS + "logging.level.io.kubemirror: loud\n");

        assertThat(served.status().problem())
                .startsWith(
                        "logging.level.io.kubemirror (%s, line 4): cannot read 'loud'; use one of trace"
                                .formatted(served.file()));
    }

    @Test
    void secrets_do_not_appear_in_messages(CapturedOutput output) {
        String etcd = "  upstream:\n    etcd:\n      password: hush-hush${\n";
        served.write(PODS).start().reload(PODS + etcd);
        served.reload(PODS + "  upstream:\n    server: http://u:hush-hush@127.0.0.1:1\n");

        assertThat(output).doesNotContain("hush-hush");
        assertThat(served.management().get("/actuator/health").body()).doesNotContain("hush-hush");
    }

    @Test
    void edited_comment_changes_nothing(CapturedOutput output) {
        served.write(PODS).start();
        Difference before = served.status();

        served.write("# a comment\n" + PODS);
        served.bean(ConfigurationReloader.class).run();
        assertThat(served.status()).isSameAs(before);
        assertThat(output).doesNotContain("Reloaded the configuration");
    }

    @Test
    void authentication_takes_effect_and_ends_watches_without_credentials() throws IOException {
        Path tokens = served.directory().resolve("tokens.csv");
        Files.writeString(tokens, "t-anna,anna,1\n");
        served.write(PODS).start();
        String path = "/api/v1/pods";
        ReloadFixture.await(() -> served.client().get(path).code() == 200);
        MemoryBudget clients = served.bean("clientMemory", MemoryBudget.class);
        try (WatchReader watch = served.client().patient().watch(path + "?watch=1")) {
            served.reload(
                    PODS
                            + "  access:\n    authentication: [token-file]\n"
                            + "    authorization: read-all\n    token-file: "
                            + tokens);

            assertThat(watch.nextLine()).as("the clean end").isEmpty();
        }
        assertThat(served.client().get(path).code()).isEqualTo(401);
        assertThat(served.client().withToken("t-anna").get(path).code()).isEqualTo(200);
        assertThat(decisions(clients)).isPositive();

        served.reload(PODS + "  allowed-hosts: [a.example.com]\n");
        assertThat(served.client().get(path).code()).isEqualTo(200);
        assertThat(served.bean("hosts", Supplier.class).get())
                .isEqualTo(new Hosts(Hosts.Reach.LOOPBACK, List.of("a.example.com")));
        assertThat(decisions(clients)).isZero();
    }

    /** A volume may get its files after the one that has the configuration. */
    @Test
    void refused_files_take_effect_when_a_file_that_they_name_appears(CapturedOutput output)
            throws IOException {
        Path tokens = served.directory().resolve("tokens.csv");
        served.write(PODS)
                .start()
                .write(
                        PODS
                                + "  access:\n    authentication: [token-file]\n"
                                + "    authorization: read-all\n    token-file: "
                                + tokens);
        ReloadFixture.await(() -> served.status().problem().contains("tokens.csv"));

        Path next = served.directory().resolve("next.csv");
        Files.writeString(next, "t-anna,anna,1\n");
        Files.move(next, tokens, StandardCopyOption.ATOMIC_MOVE);

        ReloadFixture.await(() -> served.client().get("/api/v1/pods").code() == 401);
        ReloadFixture.await(() -> served.status().problem().isEmpty());
        assertThat(output).containsOnlyOnce("The configuration files are not in force");
    }

    private static long decisions(MemoryBudget clients) {
        return clients.parts().stream()
                .filter(part -> part.name().equals("decisions"))
                .mapToLong(MemoryBudget::used)
                .sum();
    }

    @Test
    void lower_limit_of_connections_refuses_new_ones_and_ends_none() {
        served.write(PODS).start();
        String path = "/api/v1/pods";
        ReloadFixture.await(() -> served.client().get(path).code() == 200);
        List<WatchReader> watches =
                Stream.generate(() -> served.client().patient().watch(path + "?watch=1"))
                        .limit(12)
                        .toList();

        served.reload(LIMITED);
        assertThat(served.client().get(path).code()).isEqualTo(429);
        served.server().create(Manifests.pod("a", "x"));
        assertThat(watches).allMatch(watch -> watch.next().path("type").asString().equals("ADDED"));

        served.reload(PODS);
        assertThat(served.client().get(path).code()).isEqualTo(200);
        watches.forEach(WatchReader::close);
    }

    private static final String STORED =
            """
            kubemirror:
              upstream.etcd: {endpoints: ["http://127.0.0.1:1"], acknowledge-no-authorization: true}
              resources:
                - {resource: widgets.v1.example.com, etcd: {prefix: /registry/widgets/, kind: Widget}}
            """;

    private void requireRefused(String problem) {
        assertThat(served.status().problem()).isEqualTo(problem);
        assertThat(served.bean(MirrorSet.class).all()).hasSize(1);
    }

    @Test
    void resource_of_an_api_server_is_read_when_it_is_needed() {
        served.write(STORED).start().reload(STORED + "    - {resource: pods}\n");

        assertThat(served.status().problem()).isEmpty();
        ReloadFixture.await(
                () ->
                        served.bean(MirrorSet.class).stream()
                                .anyMatch(mirror -> mirror.snapshot().isPresent()));
    }

    @Test
    void other_resources_in_etcd_need_a_restart() {
        String problem =
                "kubemirror.resources[].etcd: what is read from etcd stays as it is while"
                        + " kubemirror runs; restart it, or undo the change";
        served.write(STORED).start().reload(STORED.replace("/registry/widgets/", "/other/"));
        requireRefused(problem);

        served.write(PODS);
        served.bean(ConfigurationReloader.class).run();
        requireRefused(problem);

        served.reload(STORED + "  shutdown: {delay: 1s}\n");
        assertThat(served.status().problem()).isEmpty();
    }

    @Test
    void mistake_in_a_resource_in_etcd_is_refused() {
        served.write(STORED).start().reload(STORED.replace("widgets.v1.", "widgets."));
        assertThat(served.status().problem())
                .startsWith("kubemirror.resources[0].resource (")
                .contains(", line 4): is not complete");

        served.reload(STORED.replace("kind: Widget}", "kind: Widget}, strategy: watch-list"));
        assertThat(served.status().problem())
                .startsWith("kubemirror.resources[0].strategy (")
                .endsWith(
                        ", line 4): watch-list needs an API server; use auto for a resource in"
                                + " etcd");
        assertThat(served.bean(MirrorSet.class).all()).hasSize(1);
    }

    @Test
    void first_resource_in_etcd_needs_a_restart() {
        served.write(PODS)
                .start()
                .reload(
                        PODS
                                + STORED.lines()
                                        .skip(3)
                                        .reduce("", (all, line) -> all + line + "\n")
                                + "  upstream.etcd: {endpoints: [\"http://127.0.0.1:1\"],"
                                + " acknowledge-no-authorization: true}\n");

        assertThat(served.status().problem())
                .isEqualTo(
                        "kubemirror.resources[].etcd: what is read from etcd stays as it is while"
                                + " kubemirror runs; restart it, or undo the change");
    }
}
