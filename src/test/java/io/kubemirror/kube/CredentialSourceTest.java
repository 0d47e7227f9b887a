package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.kube.UpstreamSettings.UpstreamException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CredentialSourceTest {

    @TempDir private Path directory;

    private Path home = Path.of("unset");
    private Path mount = Path.of("unset");

    @BeforeEach
    void provideEverything() throws IOException {
        home = directory.resolve("home");
        mount = directory.resolve("serviceaccount");
        Files.createDirectories(home.resolve(".kube"));
        Files.createDirectories(mount);
        Files.writeString(home.resolve(".kube/config"), "");
        Files.writeString(mount.resolve("token"), "t");
    }

    @Test
    void server_url_takes_precedence_over_all_other_sources() {
        assertThat(choose(new UpstreamSettings("http://x", " ", ""), cluster()))
                .isEqualTo(new CredentialSource.ServerUrl("http://x"));
    }

    @ParameterizedTest
    @CsvSource({"/named, , kubeconfig", ", context, context", "/named, context, kubeconfig"})
    void server_url_excludes_a_configured_kubeconfig(
            @Nullable String kubeconfig, @Nullable String context, String property) {
        UpstreamSettings settings = new UpstreamSettings("http://x", kubeconfig, context);

        assertThatThrownBy(() -> choose(settings, Map.of()))
                .isInstanceOf(UpstreamException.class)
                .hasMessage(
                        "kubemirror.upstream."
                                + property
                                + ": is not used with kubemirror.upstream.server; remove one of"
                                + " them");
    }

    @Test
    void configured_kubeconfig_takes_precedence_over_the_service_account() {
        assertThat(choose(new UpstreamSettings(null, "/named", "context"), cluster()))
                .isEqualTo(new CredentialSource.KubeconfigFile(Path.of("/named"), "context"));
    }

    @Test
    void configured_context_selects_the_default_kubeconfig_even_in_a_cluster() {
        assertThat(choose(new UpstreamSettings(null, null, "context"), cluster()))
                .isEqualTo(new CredentialSource.KubeconfigFile(Path.of("/variable"), "context"));
    }

    @Test
    void service_account_takes_precedence_over_the_default_kubeconfig() {
        assertThat(choose(new UpstreamSettings(null, null, null), cluster()))
                .isEqualTo(new CredentialSource.ServiceAccount("10.0.0.1", "6443", mount));
    }

    @Test
    void kubeconfig_variable_takes_precedence_over_the_home_directory() {
        assertThat(
                        choose(
                                new UpstreamSettings(null, null, null),
                                Map.of("KUBECONFIG", "/variable")))
                .isEqualTo(new CredentialSource.KubeconfigFile(Path.of("/variable"), null));
    }

    @Test
    void home_directory_kubeconfig_is_the_last_resort() {
        Path usual = home.resolve(".kube/config");

        assertThat(choose(new UpstreamSettings(null, null, null), Map.of()))
                .isEqualTo(new CredentialSource.KubeconfigFile(usual, null));
    }

    @Test
    void blank_settings_and_variables_are_ignored() {
        assertThat(choose(new UpstreamSettings(" ", "", "\t"), Map.of("KUBECONFIG", "")))
                .isEqualTo(choose(new UpstreamSettings(null, null, null), Map.of()));
    }

    @Test
    void error_without_any_source_names_the_properties_to_set() throws IOException {
        Files.delete(home.resolve(".kube/config"));

        assertThatThrownBy(() -> choose(new UpstreamSettings(null, null, null), Map.of()))
                .isInstanceOf(UpstreamException.class)
                .hasMessageStartingWith("kubemirror.upstream.kubeconfig: ")
                .hasMessageEndingWith("set this property or kubemirror.upstream.server");
    }

    @Test
    void settings_and_environment_never_print_a_password() {
        UpstreamSettings settings = new UpstreamSettings("http://u:s3cret@x", null, null);
        ProcessEnvironment environment =
                new ProcessEnvironment(Map.of("PASSWORD", "s3cret"), home, mount);

        assertThat(
                        settings.toString()
                                + environment
                                + CredentialSource.choose(settings, environment))
                .contains("kubemirror.upstream.server")
                .doesNotContain("s3cret");
    }

    private static Map<String, String> cluster() {
        return Map.of(
                "KUBERNETES_SERVICE_HOST", "10.0.0.1",
                "KUBERNETES_SERVICE_PORT", "6443",
                "KUBECONFIG", "/variable");
    }

    private CredentialSource choose(UpstreamSettings settings, Map<String, String> variables) {
        return CredentialSource.choose(settings, new ProcessEnvironment(variables, home, mount));
    }
}
