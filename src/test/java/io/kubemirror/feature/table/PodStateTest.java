package io.kubemirror.feature.table;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests the status of a pod as kubectl shows it. */
class PodStateTest {

    private static final Instant NOW = Instant.parse("2026-01-02T00:00:00Z");
    private static final String RUNS = "'name':'c','ready':true,'state':{'running':{}}";
    private static final String RESTARTED =
            "'restartCount':2,'lastState':{'terminated':{'finishedAt':'2026-01-01T23:55:00Z'}}";

    /** A pod with two containers: its status, ready, reason, restarts. */
    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/feature/table/pod-states.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void pod_state_is_derived_from_containers(
            String status, String ready, String reason, String restarts) {
        check("'containers':[{},{}]", status, "", ready, reason, restarts);
    }

    /** A pod with an init container, a sidecar and a container. */
    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/feature/table/pod-states-init.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void init_containers_take_precedence_in_the_pod_state(
            String status, String ready, String reason, String restarts) {
        check(
                "'containers':[{}],'initContainers':[{'name':'i'},{'name':'s','restartPolicy':'Always'}]",
                "'phase':'Pending'," + status,
                "",
                ready,
                reason,
                restarts);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'phase':'Running' | Terminating",
                "'phase':'Running','reason':'NodeLost' | Unknown",
                "'phase':'Succeeded' | Succeeded",
                "'phase':'Failed','reason':'Evicted' | Evicted",
            })
    void deleted_pod_is_terminating_unless_finished(String status, String reason) {
        check(
                "'containers':[{}]",
                status,
                "'deletionTimestamp':'2026-01-01T00:00:00Z'",
                "0/1",
                reason,
                "0");
    }

    private static void check(
            String spec,
            String status,
            String metadata,
            String ready,
            String reason,
            String restarts) {
        String pod =
                ("{'metadata':{" + metadata + "},'spec':{" + spec + "},'status':{" + status + "}}")
                        .replace("'RESTARTED_'", RESTARTED)
                        .replace("RESTARTED", RESTARTED)
                        .replace("RUNS", RUNS)
                        .replace('\'', '"');
        JsonNode tree = new JsonMapper().readTree(pod);
        PodState state = new PodState(tree);
        assertThat(state.ready()).isEqualTo(ready);
        assertThat(state.reason()).isEqualTo(reason);
        assertThat(state.restarts(NOW)).isEqualTo(restarts);
    }
}
