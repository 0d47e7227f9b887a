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

    /** What is set, whether in a cluster, the variable of the kubeconfig, and what is used. */
    @ParameterizedTest
    @CsvSource({
        "http://x, ' ', '', true, /variable, server",
        ", /named, context, true, /variable, named",
        ", , context, true, /variable, variable",
        ", , , true, /variable, account",
        ", , , false, /variable, variable",
        ", , , false, , home",
        "' ', '', ' ', false, '', home",
    })
    void source_that_takes_precedence_is_used(
            @Nullable String server,
            @Nullable String kubeconfig,
            @Nullable String context,
            boolean cluster,
            @Nullable String variable,
            String used) {
        Map<String, String> variables = new HashMap<>();
        if (cluster) {
            variables.put("KUBERNETES_SERVICE_HOST", "10.0.0.1");
            variables.put("KUBERNETES_SERVICE_PORT", "6443");
        }
        if (variable != null) {
            variables.put("KUBECONFIG", variable);
        }
        String chosen = "context".equals(context) ? context : null;

        assertThat(choose(new UpstreamSettings(server, kubeconfig, context), variables))
                .isEqualTo(
                        switch (used) {
                            case "server" -> new CredentialSource.ServerUrl("http://x");
                            case "account" ->
                                    new CredentialSource.ServiceAccount("10.0.0.1", "6443", mount);
                            case "home" ->
                                    new CredentialSource.KubeconfigFile(
                                            home.resolve(".kube/config"), null);
                            default ->
                                    new CredentialSource.KubeconfigFile(
                                            Path.of("/" + used), chosen);
                        });
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

    private CredentialSource choose(UpstreamSettings settings, Map<String, String> variables) {
        return CredentialSource.choose(settings, new ProcessEnvironment(variables, home, mount));
    }
}
