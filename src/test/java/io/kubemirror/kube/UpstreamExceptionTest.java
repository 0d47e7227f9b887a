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
                        "kubemirror.upstream.kubeconfig: "
                                + file
                                + ": cannot read the file; set this property to a readable"
                                + " kubeconfig");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "just text s3cret",
                "- s3cret",
                "contexts: {s3cret: 1}",
                "current-context: 7",
            })
    void invalid_kubeconfig_is_rejected(String content) {
        assertThat(problemOf(content, null))
                .startsWith("kubemirror.upstream.kubeconfig: ")
                .endsWith(": the file is not a kubeconfig; set this property to a kubeconfig");
    }

    /** DIR stands for the directory of the file. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    # the context, a text of the file, its replacement, the end of the problem
                    nowhere | '' | '' | kubemirror.upstream.context: DIR/config has no context 'nowhere'; set this property to one of [here, there]
                    | current-context: here | '' | kubemirror.upstream.context: DIR/config has no current context; set this property to one of [here, there]
                    there | '' | '' | kubemirror.upstream.context: the cluster 'missing' of context 'there' in DIR/config has no server; add it, or correct the name
                    here | user: u | user: nobody | kubemirror.upstream.context: the user 'nobody' of context 'here' in DIR/config is missing; add it, or correct the name
                    | https://127.0.0.1:1 | 127.0.0.1:1 | the server of the cluster is not an http or https URL; correct it
                    | https://127.0.0.1:1 | https://:1:1 | the server of the cluster is not an http or https URL; correct it
                    | token: s3cret | client-certificate-data: czNjcmV0 | the user has a client certificate without a key, or a key without a certificate; add the missing one
                    | token: s3cret | client-key: key.pem | the user has a client certificate without a key, or a key without a certificate; add the missing one
                    | token: s3cret | client-certificate: cert.pem, client-key: key.pem | DIR/config: cannot read the client-certificate DIR/cert.pem; create it, or correct the path
                    | token: s3cret | client-certificate: config, client-key: config | DIR/config: client-certificate DIR/config is not a certificate in PEM format; replace it
                    | token: s3cret | tokenFile: absent | DIR/config: cannot read the tokenFile DIR/absent; create it, or correct the path
                    | token: s3cret | tokenFile: empty | DIR/config: the tokenFile DIR/empty is empty; write a token to it
                    | :1" | :1", proxy-url: "http://127.0.0.1:3128" | DIR/config: the cluster has a proxy-url, which kubemirror does not use; remove it, and set the Java properties https.proxyHost and https.proxyPort
                    | token: s3cret | token: s3cret, as: s3cret | DIR/config: the user has 'as', which kubemirror does not use; remove it, and use the credentials of the user that it names
                    | token: s3cret | token: s3cret, as-groups: [s3cret] | DIR/config: the user has 'as-groups', which kubemirror does not use; remove it, and use the credentials of the user that it names
                    | :1" | :1", certificate-authority: ca.crt, insecure-skip-tls-verify: true | DIR/config: the cluster has a certificate-authority and insecure-skip-tls-verify; remove one of them
                    | :1" | :1", certificate-authority-data: czNjcmV0 | DIR/config: certificate-authority-data is not a certificate in PEM format; replace it
                    | :1" | :1", certificate-authority-data: s3cr | DIR/config: certificate-authority-data is not a certificate in PEM format; replace it
                    | :1" | :1", certificate-authority-data: a | DIR/config: certificate-authority-data is not Base64; replace it
                    | :1" | :1", certificate-authority: absent | DIR/config: cannot read the certificate-authority DIR/absent; create it, or correct the path
                    | token: s3cret | exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-plugin, installHint: "Get it\\n  from https://example.com"} | config: the credential plugin 'no-such-plugin' is not installed; its install hint: Get it from https://example.com
                    """)
    void kubeconfig_that_cannot_work_is_rejected_with_what_to_correct(
            @Nullable String context, String before, String after, String problem)
            throws IOException {
        Files.writeString(directory.resolve("empty"), "");

        assertThat(problemOf(CONFIG.replace(before, after), context))
                .startsWith("kubemirror.upstream.")
                .endsWith(problem.replace("DIR", directory.toString()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    a.crt | b.key | the client-key is not that of the client-certificate; replace one of them
                    a.crt | config | the client-key is not a private key in PEM format; replace it
                    old.crt | a.key | the client-certificate has expired at 2020-01-01T00:00:00Z; renew it
                    """)
    void client_certificate_that_no_server_accepts_is_rejected(
            String certificate, String key, String problem) throws Exception {
        TestCertificates own = TestCertificates.of("alice", "alice");
        Files.writeString(directory.resolve("a.crt"), own.certificatePem());
        Files.writeString(directory.resolve("a.key"), own.keyPem());
        Files.writeString(directory.resolve("b.key"), TestCertificates.of("bob", "bob").keyPem());
        Files.writeString(
                directory.resolve("old.crt"),
                own.until(Instant.parse("2020-01-01T00:00:00Z")).certificatePem());
        String user = "client-certificate: %s, client-key: %s".formatted(certificate, key);

        assertThat(problemOf(CONFIG.replace("token: s3cret", user), null)).endsWith(problem);
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

    @Test
    void credential_plugin_that_prints_something_else_is_named() throws IOException {
        plugin("print", "echo '\"s3cret\"'");
        String exec = "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./print}";

        assertThat(problemOf(CONFIG.replace("token: s3cret", exec), null))
                .endsWith(
                        "the credential plugin './print' returned no credential; run it manually to"
                                + " see why");
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
    void kubeconfig_that_is_not_yaml_is_rejected_with_the_line() {
        assertThat(problemOf(CONFIG + "users: [s3cret\n", null))
                .contains("is not YAML in line ", ", column ");
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
