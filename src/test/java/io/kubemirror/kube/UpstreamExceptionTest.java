package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import module java.base;

import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.kube.UpstreamSettings.UpstreamException;
import io.kubemirror.testing.ClientLimits;
import io.kubemirror.testing.Unchecked;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the messages about settings that cannot work. */
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
                        "kubemirror.upstream.kubeconfig: %1$s cannot be used (NoSuchFileException"
                                + " %1$s); try it with kubectl",
                        file);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"just text s3cret", "- s3cret", "contexts: {s3cret: 1}", "users: [s3cret"})
    void invalid_kubeconfig_is_rejected(String content) {
        assertThat(problemOf(content, null)).contains("/config ", "; try it with kubectl");
    }

    /** DIR stands for the directory of the file. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    # the context, a text of the file, its replacement, the problem
                    nowhere | '' | '' | DIR/config has no context 'nowhere'; try it with kubectl
                    there | '' | '' | DIR/config has a server that is not an http or https URL
                    | https://127.0.0.1:1 | 127.0.0.1:1 | has a server that is not an http or https URL
                    | token: s3cret | client-certificate: cert.pem, client-key: key.pem | DIR/config cannot be used (
                    | :1" | :1", proxy-url: "http://127.0.0.1:3128" | has 'proxy-url', which kubemirror does not use
                    | token: s3cret | token: s3cret, as: s3cret | has 'as', which kubemirror does not use
                    | token: s3cret | token: s3cret, as-groups: [s3cret] | has 'as-groups', which kubemirror does not use
                    | :1" | :1", certificate-authority-data: czNjcmV0 | cannot be used (
                    | :1" | :1", certificate-authority: absent | DIR/config cannot be used (NoSuchFileException DIR/absent)
                    """)
    void kubeconfig_that_cannot_work_is_rejected(
            @Nullable String context, String before, String after, String problem)
            throws IOException {
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
            })
    void invalid_certificate_or_credential_is_rejected_without_revealing_secrets(
            String before, String after) throws IOException {
        assertThat(problemOf(CONFIG.replace(before, after), null)).contains("kubeconfig: ");
    }

    /** A key that is not the certified one would show as a connection that the server closes. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    client-certificate: own.crt, client-key: other.key | has a client-key that is not the key of its client-certificate
                    client-certificate: own.crt, client-key: rsa.key | has a client-key that is not the key of its client-certificate
                    client-certificate: own.crt | has a client-certificate without a client-key
                    client-certificate: own.crt, client-key: bad.key | has a client-key bad.key that is not PEM, or needs a password
                    client-certificate: own.crt, client-key: locked.key | has a client-key locked.key that is not PEM, or needs a password
                    client-certificate: own.crt, client-key: own.crt | has a client-key own.crt that is not PEM, or needs a password
                    client-certificate: own.crt, client-key-data: s3cret% | has a client-key-data that is not PEM, or needs a password
                    client-certificate: own.key, client-key: own.key | has a client-certificate own.key that is not PEM, or needs a password
                    client-certificate-data: czNjcmV0, client-key: own.key | has a client-certificate-data that is not PEM, or needs a password
                    client-certificate: own.crt, client-key: none.key | cannot be used (NoSuchFileException DIR/none.key)
                    """)
    void client_certificate_that_cannot_work_is_rejected_with_its_file(String user, String problem)
            throws Exception {
        TestCertificates own = TestCertificates.ofClient("EC");
        Map<String, String> files =
                Map.of(
                        "own.crt", own.certificatePem(),
                        "own.key", own.keyPem(),
                        "other.key", TestCertificates.ofClient("EC").keyPem(),
                        "rsa.key", TestCertificates.ofClient("RSA").keyPem(),
                        "bad.key", own.keyPem().substring(0, 60) + "s3cret",
                        "locked.key", own.keyPem().replace("PRIVATE", "ENCRYPTED PRIVATE"));
        for (var file : files.entrySet()) {
            Files.writeString(directory.resolve(file.getKey()), file.getValue());
        }

        assertThat(problemOf(CONFIG.replace("token: s3cret", user), null))
                .contains("/config " + problem.replace("DIR", directory.toString()));
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
                        () -> new KubeClient(settings, environment, ClientLimits.usual("1")));
        String message = String.valueOf(e.getMessage());
        assertThat(message).doesNotContain("s3cret", "czNjcmV0", "\n");
        assertThat(e).hasNoCause();
        return message;
    }
}
