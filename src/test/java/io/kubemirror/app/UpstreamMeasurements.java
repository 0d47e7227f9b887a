package io.kubemirror.app;

import io.kubemirror.reflector.Strategy;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.ServerBinaries;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

/**
 * Measures the effects of faults with a Kubernetes API server, printed as tables; too slow for
 * every build, so it runs only when it is named:
 *
 * <pre>{@code
 * KUBEBUILDER_ASSETS=... mvn test -Dtest=UpstreamMeasurements
 * KUBEBUILDER_ASSETS=... mvn test -Dtest=UpstreamMeasurements -Dstrategies=AUTO,LIST_WATCH
 * }</pre>
 */
class UpstreamMeasurements {

    private static final int LOCAL_WATCHERS = 200;

    private final List<Strategy> strategies = strategies();

    private static List<Strategy> strategies() {
        String wanted = System.getProperty("strategies", "");
        return wanted.isEmpty()
                ? List.of(Strategy.values())
                : Arrays.stream(wanted.split(",")).map(Strategy::valueOf).toList();
    }

    /** What {@value #LOCAL_WATCHERS} local watchers see of each fault, and how long it lasts. */
    @Test
    void effects_of_faults_on_local_watchers() throws Exception {
        for (Strategy strategy : strategies) {
            MarkdownTablePrinter table =
                    new MarkdownTablePrinter(
                            "%s, %d local watchers".formatted(strategy, LOCAL_WATCHERS),
                            "fault",
                            "what the local watchers saw",
                            "seconds until true again");
            try (RealFaults realFaults = new RealFaults(server(), strategy)) {
                realFaults.measure(LOCAL_WATCHERS, table);
            }
        }
    }

    private static RealApiServer server() {
        ServerBinaries serverBinaries =
                ServerBinaries.find()
                        .orElseThrow(
                                () ->
                                        new IllegalStateException(
                                                "KUBEBUILDER_ASSETS names no directory with etcd"
                                                        + " and kube-apiserver"));
        return RealApiServer.start(serverBinaries, List.of());
    }
}
