package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import module java.base;

import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.kube.UpstreamSettings.UpstreamException;
import io.kubemirror.testing.ClientLimits;
import io.kubemirror.testing.Unchecked;
import io.kubernetes.client.util.ClientBuilder;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests the messages about settings that cannot work. */
@ExtendWith(OutputCaptureExtension.class)
class UpstreamExceptionTest {

    private static final String CONFIG =
            """
            apiVersion: v1
            kind: Config
            current-context: here
            contexts:
            - {name: here, context: {cluster: c, user: u}}
            - {name: there, context: {cluster: missing, user: u}}
            clusters:
            - {name: c, cluster: {server: "https://127.0.0.1:1"}}
            users:
            - {name: u, user: {token: s3cret}}
            """;

    @TempDir private Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.1:6443",
                "ftp://user:s3cret@host",
                "https://user:s3cret@host:99999",
                "https://host/?token=s3cret",
                "nonsense s3cret",
            })
    void invalid_server_url_is_rejected(String server) {
        assertThat(problem(new UpstreamSettings(server, null, null)))
                .isEqualTo(
                        "kubemirror.upstream.server: is not a URL; use scheme, host and port, for"
                                + " example https://10.0.0.1:6443");
    }

    @Test
    void missing_kubeconfig_is_rejected() {
        Path file = directory.resolve("none");

        assertThat(problem(new UpstreamSettings(null, file.toString(), null)))
                .isEqualTo(
                        "kubemirror.upstream.kubeconfig: %s: is not a readable kubeconfig (cannot"
                                + " read %s)",
                        file, file);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"just text s3cret", "- s3cret", "contexts: {s3cret: 1}", "users: [s3cret"})
    void invalid_kubeconfig_is_rejected(String content) {
        assertThat(problemOf(content, null)).contains("/config: is not a readable kubeconfig (");
    }

    /** DIR stands for the directory of the file. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    # the context, a text of the file, its replacement, the problem
                    nowhere | '' | '' | kubemirror.upstream.context: DIR/config has no context 'nowhere'; set this property to one of [here, there]
                    | current-context: here | '' | kubemirror.upstream.context: DIR/config has no current context; set this property to one of [here, there]
                    there | '' | '' | cannot use context 'there': the server of its cluster is not an http or https URL
                    here | user: u | user: nobody | cannot use context 'here': its user 'nobody' is missing; try it with kubectl
                    | https://127.0.0.1:1 | 127.0.0.1:1 | the server of its cluster is not an http or https URL
                    | https://127.0.0.1:1 | https://:1:1 | the server of its cluster is not an http or https URL
                    | token: s3cret | client-certificate-data: czNjcmV0 | its user has no credential
                    | token: s3cret | client-key: config | its user has no credential
                    | token: s3cret | client-certificate: cert.pem, client-key: key.pem | cannot read DIR/cert.pem
                    | token: s3cret | tokenFile: absent | cannot read DIR/absent
                    | token: s3cret | tokenFile: empty | DIR/empty is empty
                    | :1" | :1", proxy-url: "http://127.0.0.1:3128" | it has 'proxy-url', which kubemirror does not use
                    | token: s3cret | token: s3cret, as: s3cret | it has 'as', which kubemirror does not use
                    | token: s3cret | token: s3cret, as-groups: [s3cret] | it has 'as-groups', which kubemirror does not use
                    | :1" | :1", certificate-authority: ca.crt, insecure-skip-tls-verify: true | its cluster has insecure-skip-tls-verify and an authority
                    | :1" | :1", certificate-authority-data: czNjcmV0 | cannot use context 'here'
                    | :1" | :1", certificate-authority-data: a | cannot use context 'here'
                    | :1" | :1", certificate-authority: absent | cannot read DIR/absent
                    | token: s3cret | exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-plugin} | its user has no credential; run its plugin to see why
                    """)
    void kubeconfig_that_cannot_work_is_rejected(
            @Nullable String context, String before, String after, String problem)
            throws IOException {
        Files.writeString(directory.resolve("empty"), "");

        assertThat(problemOf(CONFIG.replace(before, after), context))
                .startsWith("kubemirror.upstream.")
                .contains(problem.replace("DIR", directory.toString()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{token: s3cret}|{client-certificate-data: czNjcmV0, client-key-data: czNjcmV0}",
                "{server: \"https://127.0.0.1:1\"}|{server: \"https://h\","
                        + " certificate-authority-data: czNjcmV0}",
                "{token: s3cret}|{token: \"s3cret\\u20ac\"}",
                "{token: s3cret}|{token: [s3cret]}",
                "{token: s3cret}|{tokenFile: absent}",
                "{token: s3cret}|{exec: {apiVersion: client.authentication.k8s.io/v1, command:"
                        + " ./print, args: [s3cret]}}",
            })
    void invalid_certificate_or_credential_is_rejected_without_revealing_secrets(
            String before, String after) throws IOException {
        plugin("print", "echo '\"s3cret\"'");

        assertThat(problemOf(CONFIG.replace(before, after), null)).contains("kubeconfig: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"./absent", "./failing", "./silent"})
    void credential_plugin_without_a_result_is_rejected(String command) throws IOException {
        plugin("failing", "echo s3cret; exit 3");
        plugin("silent", "");
        String exec =
                "exec: {apiVersion: client.authentication.k8s.io/v1, command: " + command + "}";

        assertThat(problemOf(CONFIG.replace("token: s3cret", exec), null))
                .startsWith("kubemirror.upstream.kubeconfig: ");
    }

    /** A start waits for it without a limit. */
    @Test
    void credential_plugin_that_does_not_answer_is_a_warning(CapturedOutput output)
            throws Exception {
        List<Runnable> late = new ArrayList<>();
        KubeconfigFile.warning(
                late::add,
                "no answer",
                () -> {
                    late.forEach(Runnable::run);
                    assertThat(output).contains("no answer");
                    return new ClientBuilder();
                });

        late.clear();
        KubeconfigFile.warning(late::add, "late", ClientBuilder::new);
        assertThat(late).hasSize(1);
        late.forEach(Runnable::run);
        assertThat(output).doesNotContain("late");
    }

    @Test
    void incomplete_service_account_is_rejected() throws IOException {
        Files.writeString(directory.resolve("token"), "s3cret");
        ProcessEnvironment pod =
                new ProcessEnvironment(
                        Map.of("KUBERNETES_SERVICE_HOST", "10.0.0.1"), directory, directory);

        assertThat(problem(new UpstreamSettings(null, null, null), pod))
                .contains(
                        "cannot use the service account of the pod in "
                                + directory
                                + ": token or ca.crt is unreadable")
                .endsWith("mount them, or set this property or kubemirror.upstream.kubeconfig");
    }

    private void plugin(String name, String script) throws IOException {
        Path plugin = directory.resolve(name);
        Files.writeString(plugin, "#!/bin/sh\n" + script + "\n");
        assertThat(plugin.toFile().setExecutable(true)).isTrue();
    }

    private String problemOf(String config, @Nullable String context) {
        Path file = directory.resolve("config");
        Unchecked.run(() -> Files.writeString(file, config));
        return problem(new UpstreamSettings(null, file.toString(), context));
    }

    private String problem(UpstreamSettings settings) {
        return problem(settings, new ProcessEnvironment(Map.of(), directory, directory));
    }

    /** Every message is one line without a secret, and brings no cause that could have one. */
    private static String problem(UpstreamSettings settings, ProcessEnvironment environment) {
        UpstreamException e =
                catchThrowableOfType(
                        UpstreamException.class,
                        () -> KubeClient.connect(settings, environment, ClientLimits.usual("1")));
        String message = String.valueOf(e.getMessage());
        assertThat(message).doesNotContain("s3cret", "czNjcmV0", "\n");
        assertThat(e).hasNoCause();
        return message;
    }
}
