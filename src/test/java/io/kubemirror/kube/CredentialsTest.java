package io.kubemirror.kube;

import static io.kubemirror.kube.UpstreamSamples.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import module java.base;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;

import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.kube.UpstreamSettings.UpstreamException;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Unreachable.Kind;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.testing.ClientLimits;
import io.kubemirror.testing.Results;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the source and the renewal of credentials over real connections. */
class CredentialsTest extends RawServerHarness {

    private static final String EXEC =
            "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin}}";

    @TempDir private Path directory;

    private final List<String> credentials = new ArrayList<>();

    @Test
    void rotated_token_file_is_reloaded() throws Exception {
        acceptAll();
        Files.writeString(directory.resolve("token"), "t1\n");
        KubeClient client = kubeconfig("{tokenFile: token}");

        list(client);
        Files.writeString(directory.resolve("token"), "t2\n");
        list(client);

        assertThat(credentials).containsExactly("Bearer t1", "Bearer t2");
    }

    @Test
    void deleted_token_file_makes_the_server_unreachable() throws Exception {
        acceptAll();
        Files.writeString(directory.resolve("token"), "t1");
        KubeClient client = kubeconfig("{tokenFile: token}");
        Files.delete(directory.resolve("token"));

        assertThat(list(client)).isEqualTo(untrusted("cannot read the token file"));
    }

    @Test
    void credential_plugin_runs_again_when_the_server_rejects_its_token() throws Exception {
        acceptOnly("Bearer t2");
        countingPlugin();
        KubeClient client = kubeconfig(EXEC);

        assertThat(list(client)).isEqualTo(EMPTY_PAGE);
        assertThat(list(client)).isEqualTo(EMPTY_PAGE);
        assertThat(credentials).containsExactly("Bearer t1", "Bearer t2", "Bearer t2");
    }

    @Test
    void rejected_token_is_renewed_only_once() throws Exception {
        acceptOnly("Bearer other");
        countingPlugin();

        Failure.Refused refused = (Failure.Refused) Results.failure(list(kubeconfig(EXEC)));

        assertThat(refused.status().reason()).isEqualTo("Unauthorized");
        assertThat(credentials).containsExactly("Bearer t1", "Bearer t2");
    }

    @Test
    void request_without_credentials_is_not_repeated() throws Exception {
        acceptOnly("Bearer other");

        Failure.Refused refused =
                (Failure.Refused)
                        Results.failure(
                                list(connect(new UpstreamSettings(url(), null, null), Map.of())));

        assertThat(refused.status().code()).isEqualTo(401);
        assertThat(credentials).containsExactly("none");
    }

    @ParameterizedTest
    @CsvSource({
        "EC, PRIVATE KEY",
        "EC, EC PRIVATE KEY",
        "RSA, PRIVATE KEY",
        "RSA, RSA PRIVATE KEY",
    })
    void client_certificate_is_sent_beside_the_token(String algorithm, String type)
            throws Exception {
        TestCertificates client = TestCertificates.ofClient(algorithm);
        acceptClient(client);
        Files.writeString(directory.resolve("user.crt"), client.certificatePem());
        Files.writeString(directory.resolve("user.key"), client.keyPem(type));

        KubeClient upstream =
                kubeconfig("{client-certificate: user.crt, client-key: user.key, token: t1}");

        assertThat(list(upstream)).isEqualTo(EMPTY_PAGE);
        assertThat(credentials).containsExactly("Bearer t1 CN=client");
    }

    @Test
    void client_certificate_of_a_plugin_is_sent() throws Exception {
        TestCertificates client = TestCertificates.ofClient("EC");
        acceptClient(client);
        plugin(
                """
                cat <<'END'
                {"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":
                {"clientCertificateData":"%s","clientKeyData":"%s"}}
                END
                """
                        .formatted(
                                client.certificatePem().replace("\n", "\\n"),
                                client.keyPem("EC PRIVATE KEY").replace("\n", "\\n")));

        assertThat(list(kubeconfig(EXEC))).isEqualTo(EMPTY_PAGE);
        assertThat(credentials).containsExactly("none CN=client");
    }

    /** The server does not say why it rejects it. */
    @ParameterizedTest
    @CsvSource({"-60, expired at", "9000, is not valid before"})
    void rejected_client_certificate_that_is_not_valid_at_present_is_named(int end, String problem)
            throws Exception {
        acceptOnly("Bearer other");
        TestCertificates client =
                TestCertificates.ofClient("EC").until(Instant.now().plusSeconds(end));
        Files.writeString(directory.resolve("user.crt"), client.certificatePem());
        Files.writeString(directory.resolve("user.key"), client.keyPem());
        KubeClient upstream = kubeconfig("{client-certificate: user.crt, client-key: user.key}");

        assertThat(Results.failure(list(upstream)).summary())
                .containsPattern(
                        "config has a client-certificate user.crt that %s 20.+Z;"
                                .formatted(problem));
    }

    /** As with kubectl, the requests are then anonymous. */
    @ParameterizedTest
    @ValueSource(strings = {"cluster: c", "cluster: c, user: ''", "cluster: c, user: empty"})
    void context_without_a_user_sends_no_credentials(String context) throws Exception {
        acceptOnly("none");
        Path file = directory.resolve("config");
        Files.writeString(
                file,
                """
                current-context: x
                contexts: [{name: x, context: {%s}}]
                clusters: [{name: c, cluster: {server: "%s"}}]
                users: [{name: empty}, {name: u, user: {token: theirs}}]
                """
                        .formatted(context, url()));

        Results.value(list(connect(new UpstreamSettings(null, file.toString(), null), Map.of())));

        assertThat(credentials).containsExactly("none");
    }

    @Test
    void service_account_token_is_sent_to_the_server_that_its_ca_trusts() throws Exception {
        TestCertificates own = TestCertificates.of("server", "127.0.0.1");
        acceptAllByTls(own);
        KubeClient client = serviceAccount(own);

        assertThat(list(client)).isEqualTo(EMPTY_PAGE);
        Files.writeString(directory.resolve("token"), "t2");
        assertThat(list(client)).isEqualTo(EMPTY_PAGE);

        assertThat(credentials).containsExactly("Bearer t1", "Bearer t2");
        assertThat(client.description().text())
                .isEqualTo("https://127.0.0.1:" + port() + "/ (service account)");
    }

    @Test
    void replaced_ca_certificate_is_reloaded() throws Exception {
        TestCertificates own = TestCertificates.of("server", "127.0.0.1");
        acceptAllByTls(own);
        KubeClient client = serviceAccount(TestCertificates.of("old", "127.0.0.1"));
        Files.writeString(directory.resolve("ca.crt"), own.certificatePem());

        assertThat(list(client)).isEqualTo(EMPTY_PAGE);
    }

    @Test
    void untrusted_server_receives_no_token() throws Exception {
        TestCertificates own = TestCertificates.of("server", "127.0.0.1");
        acceptAllByTls(own);
        KubeClient client = serviceAccount(TestCertificates.of("other", "127.0.0.1"));

        assertThat(list(client))
                .isEqualTo(
                        untrusted(
                                "TLS failed: the server's certificate is not trusted by the"
                                        + " configured CA"));
        assertThat(credentials).isEmpty();
    }

    @Test
    void certificate_for_another_host_is_reported() throws Exception {
        TestCertificates other = TestCertificates.of("server", "other.example");
        acceptAllByTls(other);

        assertThat(list(serviceAccount(other)))
                .isEqualTo(
                        untrusted(
                                "TLS failed: the server's certificate is for another host"
                                        + " name"));
    }

    /** All requests would wait for it, and none would say so. */
    @Test
    void credential_plugin_that_hangs_makes_the_server_unreachable_and_runs_once()
            throws Exception {
        acceptOnly("Bearer t2");
        countingPlugin();
        KubeClient client = kubeconfig(EXEC, ClientLimits.of("1", Duration.ofSeconds(1), 32 << 20));
        Path plugin = directory.resolve("plugin");
        Path go = directory.resolve("go");
        String waiting = "while [ ! -e '%s' ]; do sleep 0.1; done\nn=$(wc".formatted(go);
        Files.writeString(plugin, Files.readString(plugin).replace("n=$(wc", waiting));

        for (int i = 0; i < 2; i++) {
            assertThat(Results.failure(list(client)).summary())
                    .contains("the credential plugin has not answered");
        }
        Files.createFile(go);

        Awaitility.await().until(() -> list(client).equals(EMPTY_PAGE));
        assertThat(directory.resolve("count")).hasContent("run\nrun\n");
    }

    /** The official client would go on without credentials. */
    @Test
    void credential_plugin_that_fails_makes_the_server_unreachable() throws Exception {
        acceptOnly("none");
        assertThatExceptionOfType(UpstreamException.class)
                .isThrownBy(() -> kubeconfig(EXEC))
                .withMessageContaining("gets no credentials from its plugin");

        acceptOnly("Bearer t2");
        countingPlugin();
        KubeClient client = kubeconfig(EXEC);
        Files.writeString(directory.resolve("plugin"), "#!/bin/sh\nexit 1\n");

        assertThat(Results.failure(list(client)).summary())
                .contains("gets no credentials from its plugin");
        assertThat(credentials).containsExactly("Bearer t1");
    }

    /** A plugin that gives t1, t2 and so on. */
    private void countingPlugin() throws IOException {
        Path count = directory.resolve("count");
        plugin(
                """
                echo run >> 'COUNT'
                n=$(wc -l < 'COUNT' | tr -d ' ')
                echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",'
                echo '"status":{"token":"t'$n'"}}'
                """
                        .replace("COUNT", count.toString()));
    }

    private void plugin(String script) throws IOException {
        Path plugin = directory.resolve("plugin");
        Files.writeString(plugin, "#!/bin/sh\n" + script);
        assertThat(plugin.toFile().setExecutable(true)).isTrue();
    }

    private void acceptAll() throws IOException {
        answer(remembering(exchange -> respond(exchange, 200)));
    }

    private void acceptOnly(String credential) throws IOException {
        answer(
                remembering(
                        exchange ->
                                respond(
                                        exchange,
                                        credential.equals(credential(exchange)) ? 200 : 401)));
    }

    private void acceptAllByTls(TestCertificates own) throws Exception {
        answerByTls(own.serving(own), remembering(exchange -> respond(exchange, 200)));
    }

    /** Accepts this client, whose subject is remembered beside the header. */
    private void acceptClient(TestCertificates client) throws Exception {
        TestCertificates own = TestCertificates.of("server", "127.0.0.1");
        Files.writeString(directory.resolve("ca.crt"), own.certificatePem());
        answerByTls(
                own.serving(client),
                exchange -> {
                    String subject =
                            ((com.sun.net.httpserver.HttpsExchange) exchange)
                                    .getSSLSession()
                                    .getPeerPrincipal()
                                    .getName();
                    credentials.add(credential(exchange) + " " + subject);
                    respond(exchange, 200);
                });
    }

    private HttpHandler remembering(HttpHandler handler) {
        return exchange -> {
            credentials.add(credential(exchange));
            handler.handle(exchange);
        };
    }

    private static void respond(HttpExchange exchange, int code) throws IOException {
        send(exchange, code, code == 200 ? EMPTY_LIST : "Unauthorized");
    }

    private static String credential(HttpExchange exchange) {
        String header = exchange.getRequestHeaders().getFirst("Authorization");
        return header != null ? header : "none";
    }

    private static Result<ListMeta> untrusted(String problem) {
        return Result.failed(new Failure.Unreachable(problem, Kind.UNTRUSTED));
    }

    private static Result<ListMeta> list(KubeClient client) {
        return client.list(new ListRequest(pods(), null, 0, null), _ -> {});
    }

    private KubeClient kubeconfig(String user) throws IOException {
        return kubeconfig(user, ClientLimits.usual("1"));
    }

    private KubeClient kubeconfig(String user, ClientSettings limits) throws IOException {
        Path file = directory.resolve("config");
        boolean tls = Files.exists(directory.resolve("ca.crt"));
        String authority = tls ? ", certificate-authority: ca.crt" : "";
        Files.writeString(
                file,
                "current-context: x\n"
                        + "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                        + "clusters: [{name: c, cluster: {server: \"%s\"%s}}]\n"
                                .formatted(url(), authority)
                        + "users: [{name: u, user: %s}]\n".formatted(user));
        return connect(new UpstreamSettings(null, file.toString(), null), Map.of(), limits);
    }

    private KubeClient serviceAccount(TestCertificates authority) throws Exception {
        Files.writeString(directory.resolve("token"), "t1");
        Files.writeString(directory.resolve("ca.crt"), authority.certificatePem());
        String port = Integer.toString(port());
        return connect(
                new UpstreamSettings(null, null, null),
                Map.of("KUBERNETES_SERVICE_HOST", "127.0.0.1", "KUBERNETES_SERVICE_PORT", port));
    }

    private KubeClient connect(UpstreamSettings settings, Map<String, String> variables) {
        return connect(settings, variables, ClientLimits.usual("1"));
    }

    private KubeClient connect(
            UpstreamSettings settings, Map<String, String> variables, ClientSettings limits) {
        ProcessEnvironment environment = new ProcessEnvironment(variables, directory, directory);
        return new KubeClient(settings, environment, limits);
    }
}
