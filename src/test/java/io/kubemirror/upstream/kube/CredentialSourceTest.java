package io.kubemirror.upstream.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

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
    void a_url_comes_before_everything() {
        assertThat(choose(new UpstreamSettings("http://x", "/named", "context"), cluster()))
                .isEqualTo(new CredentialSource.ServerUrl("http://x"));
    }

    @Test
    void a_named_kubeconfig_comes_before_the_service_account() {
        assertThat(choose(new UpstreamSettings(null, "/named", "context"), cluster()))
                .isEqualTo(new KubeconfigFile(Path.of("/named"), "context", ""));
    }

    @Test
    void a_named_context_means_the_usual_kubeconfig_also_in_a_cluster() {
        assertThat(choose(new UpstreamSettings(null, null, "context"), cluster()))
                .isEqualTo(
                        new KubeconfigFile(Path.of("/variable"), "context", " (from $KUBECONFIG)"));
    }

    @Test
    void the_service_account_comes_before_the_usual_kubeconfig() {
        assertThat(choose(UpstreamSettings.none(), cluster()))
                .isEqualTo(new CredentialSource.ServiceAccount("10.0.0.1", "6443", mount));
    }

    @Test
    void without_a_token_there_is_no_service_account() throws IOException {
        Files.delete(mount.resolve("token"));

        assertThat(choose(UpstreamSettings.none(), cluster())).isInstanceOf(KubeconfigFile.class);
    }

    @Test
    void the_variable_comes_before_the_home_directory() {
        assertThat(choose(UpstreamSettings.none(), Map.of("KUBECONFIG", "/variable")))
                .isEqualTo(new KubeconfigFile(Path.of("/variable"), null, " (from $KUBECONFIG)"));
    }

    @Test
    void the_home_directory_comes_last() {
        Path usual = home.resolve(".kube/config");

        assertThat(choose(UpstreamSettings.none(), Map.of()))
                .isEqualTo(new KubeconfigFile(usual, null, " (the usual place)"));
    }

    @Test
    void blank_settings_and_variables_set_nothing() {
        assertThat(choose(new UpstreamSettings(" ", "", "\t"), Map.of("KUBECONFIG", "")))
                .isEqualTo(choose(UpstreamSettings.none(), Map.of()));
    }

    @Test
    void where_there_is_nothing_the_message_says_what_to_set() throws IOException {
        Files.delete(home.resolve(".kube/config"));

        assertThatThrownBy(() -> choose(UpstreamSettings.none(), Map.of()))
                .isInstanceOf(UpstreamException.class)
                .hasMessageStartingWith("kubemirror.upstream.kubeconfig: ")
                .hasMessageEndingWith("set this or kubemirror.upstream.server");
    }

    @Test
    void several_kubeconfigs_in_the_variable_are_refused() {
        assertThatThrownBy(() -> choose(UpstreamSettings.none(), Map.of("KUBECONFIG", "/a:/b")))
                .isInstanceOf(UpstreamException.class)
                .hasMessage(
                        "kubemirror.upstream.kubeconfig: $KUBECONFIG names several files; set this"
                                + " to one of them");
    }

    @Test
    void no_text_of_settings_or_environment_shows_a_password() {
        UpstreamSettings settings = new UpstreamSettings("http://u:s3cret@x", "/named", null);
        ProcessEnvironment environment =
                new ProcessEnvironment(Map.of("PASSWORD", "s3cret"), home, mount);

        assertThat(
                        settings.toString()
                                + environment
                                + CredentialSource.choose(settings, environment))
                .contains("/named")
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
