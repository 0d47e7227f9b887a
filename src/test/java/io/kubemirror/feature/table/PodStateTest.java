package io.kubemirror.feature.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.time.Instant;

/** Tests the status of a pod as kubectl shows it. */
class PodStateTest {

    private static final Instant NOW = Instant.parse("2026-01-02T00:00:00Z");
    private static final String RUNS = "'name':'c','ready':true,'state':{'running':{}}";
    private static final String RESTARTED =
            "'restartCount':2,'lastState':{'terminated':{'finishedAt':'2026-01-01T23:55:00Z'}}";

    /** A pod with two containers: its status, ready, reason, restarts. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'phase':'Pending' | 0/2 | Pending | 0",
                "'phase':'Pending','reason':'Evicted' | 0/2 | Evicted | 0",
                "'phase':'Pending','reason':'x','conditions':[{'type':'PodScheduled','reason':'SchedulingGated'}]"
                    + " | 0/2 | SchedulingGated | 0",
                "'phase':'Running','containerStatuses':[{RUNS},{RUNS}] | 2/2 | Running | 0",
                "'phase':'Running','containerStatuses':[{RUNS,RESTARTED},{RUNS,'restartCount':1}] |"
                        + " 2/2 | Running | 3 (5m ago)",
                "'phase':'Running','containerStatuses':[{RUNS,'restartCount':1},{}] | 1/2 | Running"
                        + " | 1",
                "'phase':'Running','containerStatuses':[{'state':{'waiting':{'reason':'CrashLoopBackOff'}}},{'state':{'waiting':{'reason':'Other'}}}]"
                    + " | 0/2 | CrashLoopBackOff | 0",
                "'phase':'Pending','containerStatuses':[{'state':{'waiting':{}}}] | 0/2 | Pending |"
                        + " 0",
                "'phase':'Failed','containerStatuses':[{'state':{'terminated':{'reason':'Error','exitCode':1}}}]"
                    + " | 0/2 | Error | 0",
                "'phase':'Failed','containerStatuses':[{'state':{'terminated':{'signal':9}}}] | 0/2"
                        + " | Signal:9 | 0",
                "'phase':'Failed','containerStatuses':[{'state':{'terminated':{'exitCode':3}}}] |"
                        + " 0/2 | ExitCode:3 | 0",
                "'phase':'Running','conditions':[{'type':'Ready','status':'True'}],'containerStatuses':[{'state':{'terminated':{'reason':'Completed'}}},{RUNS}]"
                    + " | 1/2 | Running | 0",
                "'phase':'Running','containerStatuses':[{'state':{'terminated':{'reason':'Completed'}}},{RUNS}]"
                    + " | 1/2 | NotReady | 0",
                "'phase':'Succeeded','containerStatuses':[{'state':{'terminated':{'reason':'Completed'}}}]"
                    + " | 0/2 | Completed | 0",
            })
    void pod_state_is_derived_from_containers(
            String status, String ready, String reason, String restarts) {
        check("'containers':[{},{}]", status, "", ready, reason, restarts);
    }

    /** A pod with an init container, a sidecar and a container. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'initContainerStatuses':[{'name':'i','restartCount':1,'state':{'running':{}}}] |"
                        + " 0/2 | Init:0/2 | 1",
                "'initContainerStatuses':[{'name':'i','state':{'waiting':{'reason':'PodInitializing'}}}]"
                    + " | 0/2 | Init:0/2 | 0",
                "'initContainerStatuses':[{'name':'i','state':{'waiting':{'reason':'ErrImagePull'}}}]"
                    + " | 0/2 | Init:ErrImagePull | 0",
                "'initContainerStatuses':[{'name':'i','RESTARTED_','state':{'terminated':{'exitCode':1,'reason':'Error'}}}]"
                    + " | 0/2 | Init:Error | 2 (5m ago)",
                "'initContainerStatuses':[{'name':'i','state':{'terminated':{'exitCode':2}}}] | 0/2"
                        + " | Init:ExitCode:2 | 0",
                "'initContainerStatuses':[{'name':'i','state':{'terminated':{'exitCode':2,'signal':9}}}]"
                    + " | 0/2 | Init:Signal:9 | 0",
                "'initContainerStatuses':[{'name':'i','restartCount':4,'state':{'terminated':{'exitCode':0}}},{'name':'s','state':{'running':{}}}]"
                    + " | 0/2 | Init:1/2 | 4",
                "'initContainerStatuses':[{'name':'i','restartCount':4,'state':{'terminated':{'exitCode':0}}},{'name':'s','started':true,'ready':true,'restartCount':1}],'containerStatuses':[{RUNS}]"
                    + " | 2/2 | Pending | 1",
                "'conditions':[{'type':'Initialized','status':'True'}],'initContainerStatuses':[{'name':'i','state':{'running':{}}}],'containerStatuses':[{RUNS,'restartCount':5}]"
                    + " | 1/2 | Init:0/2 | 5",
            })
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
        PodState state = PodState.of(tree);
        assertThat(state.ready()).isEqualTo(ready);
        assertThat(state.reason()).isEqualTo(reason);
        assertThat(state.restarts(NOW)).isEqualTo(restarts);
    }
}
