package io.kubemirror.testing.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Tests the choice of the source of real API servers. */
class ServerProvisionTest {

    private final ServerProvision nothing = ServerProvision.choose(Optional.empty(), () -> false);

    @Test
    void executables_take_precedence_over_containers() {
        ServerBinaries serverBinaries = new ServerBinaries(Path.of("bin"));

        assertThat(ServerProvision.choose(Optional.of(serverBinaries), () -> true))
                .isEqualTo(new ServerProvision.Binaries(serverBinaries));
        assertThat(ServerProvision.choose(Optional.empty(), () -> true))
                .isEqualTo(new ServerProvision.Container());
    }

    @Test
    void tests_without_an_api_server_are_skipped_with_a_reason() {
        assertThat(nothing.verdict(Map.of()).isDisabled()).isTrue();
        assertThat(nothing.verdict(Map.of()).getReason())
                .get()
                .asString()
                .contains("KUBEBUILDER_ASSETS", "Docker");
    }

    @Test
    void tests_without_an_api_server_fail_in_continuous_integration() {
        assertThatThrownBy(() -> nothing.verdict(Map.of("CI", "true")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("KUBEBUILDER_ASSETS");
    }
}
