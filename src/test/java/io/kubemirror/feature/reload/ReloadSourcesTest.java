package io.kubemirror.feature.reload;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.MirrorSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A process keeps what it reads from etcd, and connects to an API server when it needs one. */
class ReloadSourcesTest {

    private static final String STORED =
            """
            kubemirror:
              upstream.etcd: {endpoints: ["http://127.0.0.1:1"], acknowledge-no-authorization: true}
              resources:
                - {resource: widgets.v1.example.com, etcd: {prefix: /registry/widgets/, kind: Widget}}
            """;

    private static final String PODS = "kubemirror:\n  resources:\n    - {resource: pods}\n";

    @RegisterExtension private final ReloadFixture served = new ReloadFixture();

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
