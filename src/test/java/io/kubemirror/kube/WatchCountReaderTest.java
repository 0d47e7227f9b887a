package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kubemirror.model.ResourceType;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;

class WatchCountReaderTest {

    private static final ResourceType PODS =
            new ResourceType("", "v1", "Pod", "pods", "pod", true, List.of(), List.of());
    private static final ResourceType LEASES =
            new ResourceType(
                    "coordination.k8s.io", "v1", "Lease", "leases", "", true, List.of(), List.of());

    @Test
    void watches_of_all_scopes_and_versions_are_added() throws IOException {
        assertThat(
                        read(
                                """
                                # HELP apiserver_longrunning_requests [STABLE] Gauge
                                # TYPE apiserver_longrunning_requests gauge
                                apiserver_longrunning_requests{component="apiserver",group="",resource="pods",scope="cluster",subresource="",verb="WATCH",version="v1"} 7
                                apiserver_longrunning_requests{component="apiserver",group="",resource="pods",scope="namespace",subresource="",verb="WATCH",version="v1"} 2
                                apiserver_longrunning_requests{component="apiserver",group="",resource="pods",scope="namespace",subresource="exec",verb="CONNECT",version="v1"} 40
                                apiserver_longrunning_requests{component="apiserver",group="metrics.k8s.io",resource="pods",scope="cluster",subresource="",verb="WATCH",version="v1"} 80
                                apiserver_longrunning_requests_total{resource="pods",group="",verb="WATCH"} 9
                                """))
                .isEqualTo(Map.of(PODS, 9L, LEASES, 0L));
    }

    @Test
    void metrics_without_watches_have_no_result() throws IOException {
        assertThat(read("# HELP a b\na{b=\"c\"} 1\n\n")).isEmpty();
        assertThat(read("")).isEmpty();
    }

    @Test
    void endless_and_malformed_lines_are_skipped() throws IOException {
        String prefix =
                "apiserver_longrunning_requests{group=\"\",resource=\"pods\",verb=\"WATCH\"";

        assertThat(
                        read(
                                prefix
                                        + "x".repeat(100_000)
                                        + "} 1\n"
                                        + prefix
                                        + "\n"
                                        + prefix
                                        + "} many\n"
                                        + prefix
                                        + "} -1\n"
                                        + prefix
                                        + "} 3\n"
                                        + prefix
                                        + "} 5"))
                .isEqualTo(Map.of(PODS, 3L, LEASES, 0L));
    }

    private static Map<ResourceType, Long> read(String metrics) throws IOException {
        return WatchCountReader.read(
                new ByteArrayInputStream(metrics.getBytes(UTF_8)), Set.of(PODS, LEASES));
    }
}
