package io.kubemirror.testing.real;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

import java.nio.file.Path;
import java.util.Map;

/** Tests when tests that need a Docker engine run, are skipped, and fail. */
class K3sApiServerTest {

    private static final Map<String, String> CI = Map.of("CI", "true");

    private @TempDir Path directory;

    @Test
    void tests_run_where_an_engine_answers() {
        assertThatCode(() -> K3sApiServer.demand(CI, directory, true)).doesNotThrowAnyException();
    }

    @Test
    void tests_are_skipped_without_an_engine() {
        Path missing = directory.resolve("docker.sock");

        assertThatThrownBy(() -> K3sApiServer.demand(CI, missing, false))
                .isInstanceOf(TestAbortedException.class);
        assertThatThrownBy(() -> K3sApiServer.demand(Map.of(), directory, false))
                .isInstanceOf(TestAbortedException.class);
    }

    @Test
    void tests_fail_in_continuous_integration_if_an_announced_engine_does_not_answer() {
        Path missing = directory.resolve("docker.sock");
        Map<String, String> host = Map.of("CI", "true", "DOCKER_HOST", "tcp://127.0.0.1:1");

        assertThatThrownBy(() -> K3sApiServer.demand(CI, directory, false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("none answers");
        assertThatThrownBy(() -> K3sApiServer.demand(host, missing, false))
                .isInstanceOf(IllegalStateException.class);
    }
}
