package io.kubemirror.feature.cli;

import static io.kubemirror.testing.Manifests.pod;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

import picocli.CommandLine;

/** Tests the command that reports the state of a running kubemirror to people and scripts. */
@Timeout(120)
class DiagnoseTest {

    private final ByteArrayOutputStream output = new ByteArrayOutputStream();

    @Test
    void diagnose_prints_the_diagnosis_of_a_healthy_kubemirror() {
        try (ScriptedApiServer server = ScriptedApiServer.create()) {
            server.create(pod("a", "x"));
            try (ConfigurableApplicationContext kubemirror =
                            ApplicationLauncher.mirroring(server.url(), "pods");
                    WatchReader watch =
                            ApplicationLauncher.ready(kubemirror)
                                    .watch("/api/v1/pods?watch=1&labelSelector=a%3Db")) {
                assertThat(watch.code()).isEqualTo(200);
                WaitLimit.until(() -> diagnose(url(kubemirror), "--quiet") == 0);
                assertThat(output()).isEmpty();

                assertThat(diagnose(url(kubemirror))).isZero();

                assertThat(output())
                        .startsWith("No problems found.\n\n")
                        .contains("\n- name: pods\n", "labels a=b")
                        .matches("[\\n -~]*");
            }
        }
    }

    @Test
    void unreachable_api_server_determines_the_exit_code() {
        try (ConfigurableApplicationContext kubemirror =
                ApplicationLauncher.with("kubemirror.resources[0].resource=pods")) {
            RestClient management = ApplicationLauncher.management(kubemirror);
            WaitLimit.until(() -> management.get("/actuator/mirrors").body().contains("refused"));
            assertThat(diagnose(url(kubemirror))).isEqualTo(4);
            assertThat(output())
                    .startsWith("ERROR    pods: no complete state yet: connection refused")
                    .doesNotContain("\nERROR ");
            output.reset();

            assertThat(diagnose(url(kubemirror), "--quiet")).isEqualTo(1);
            assertThat(output()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "note difference, 0",
        "warning cut-off, 8",
        "warning denied, 5",
        "error credentials, 5",
        "error something-new, 8",
        "error not-synchronized, 6",
        "error denied, 5",
        "error unreachable, 4",
        "error unreachable note denied, 4",
        "error denied warning memory, 5",
        "error not-synchronized error denied, 5"
    })
    void exit_code_reflects_the_most_severe_finding(String findings, int code) throws IOException {
        try (CannedServer server = new CannedServer(200, diagnosis(findings.split(" ", -1)))) {
            assertThat(diagnose(server.url(), "--quick")).isEqualTo(code);
        }
    }

    @Test
    void json_is_one_document_with_the_findings() throws IOException {
        String found = diagnosis("note", "diff\u00e9rence");
        try (CannedServer server = new CannedServer(200, found)) {
            assertThat(diagnose(server.url(), "--quick", "-o", "json")).isZero();
        }

        assertThat(output()).matches("[\n -~]*");
        assertThat(JsonTrees.parse(output())).isEqualTo(JsonTrees.parse(found));
    }

    @Test
    void watch_reports_again_when_the_findings_have_changed() throws IOException {
        String denied = diagnosis("error", "denied");
        Iterator<String> later =
                List.of(diagnosis(), denied, denied.replace("a text", "for 5 s"), diagnosis())
                        .iterator();
        try (CannedServer server = new CannedServer(200, diagnosis())) {
            Sleeper sleeper =
                    _ -> {
                        if (!later.hasNext()) {
                            throw new InterruptedException();
                        }
                        server.body = later.next();
                    };
            PrintWriter out = new PrintWriter(output, true, StandardCharsets.UTF_8);
            CommandLine line = new CommandLine(new DiagnoseCommand(sleeper)).setOut(out);

            assertThat(line.execute("--quick", "--watch", "--url=" + server.url())).isZero();
        }
        assertThat(output().lines().filter(line -> line.matches("(No|ERROR) .*")))
                .containsExactly("No problems found.", "ERROR    a text", "No problems found.");
    }

    @Test
    void long_text_of_a_finding_is_wrapped_beside_its_severity() throws IOException {
        String found = diagnosis("error", "denied").replace("a text", "grant it ".repeat(30));
        try (CannedServer server = new CannedServer(200, found)) {
            assertThat(diagnose(server.url(), "--quick")).isEqualTo(5);
        }
        assertThat(output().lines().limit(3))
                .allMatch(line -> line.length() <= 100)
                .allMatch(line -> line.matches("(ERROR {4}|\\s{9})grant.*it"));
    }

    @Test
    void failed_list_of_a_mirror_is_reported_as_an_error() throws IOException {
        String mirror = "{\"name\":\"pods\",\"path\":\"/api/v1/pods\",\"state\":{\"synced\":true}}";
        String diagnosis = diagnosis().replace("\"mirrors\":[]", "\"mirrors\":[" + mirror + "]");
        try (CannedServer server = new CannedServer(200, diagnosis)) {
            assertThat(diagnose(server.url())).isEqualTo(7);
            assertThat(output()).contains("ERROR    pods: list failed: ");
        }
    }

    @Test
    void one_object_is_listed_and_objects_are_asked_for_unless_quick() throws IOException {
        String mirror =
                """
                {"name":"pods","path":"/api/v1/pods?labelSelector=a","state":{"synced":true},
                 "busiest":[{"object":"shop/web","changes":412}]}
                """;
        String diagnosis =
                diagnosis()
                        .replace("\"mirrors\":[]", "\"mirrors\":[" + mirror + "]")
                        .replace("http://127.0.0.1:1", "OWN_URL");
        try (CannedServer server = new CannedServer(200, diagnosis)) {
            assertThat(diagnose(server.url())).isZero();

            assertThat(server.requests)
                    .containsExactly(
                            "/actuator/mirrors?objects=true",
                            "/api/v1/pods?labelSelector=a&limit=1");
            assertThat(output()).contains("  busiest:\n  - object: shop/web\n    changes: 412\n");
        }
        try (CannedServer server = new CannedServer(200, diagnosis)) {
            assertThat(diagnose(server.url(), "--quick")).isZero();

            assertThat(server.requests).containsExactly("/actuator/mirrors");
        }
    }

    @Test
    void control_characters_are_replaced_in_the_output() throws IOException {
        String evil = diagnosis("error", "denied").replace("a text", "\\u001b[2J \\u009b red");
        try (CannedServer server = new CannedServer(200, evil)) {
            assertThat(diagnose(server.url(), "--quick")).isEqualTo(5);
            assertThat(output()).contains("?[2J ? red");
        }
    }

    @Test
    void token_is_sent_over_plain_http_to_loopback_only(@TempDir Path directory)
            throws IOException {
        Path token = Files.writeString(directory.resolve("token"), "s3cret\n");
        try (CannedServer server = new CannedServer(200, diagnosis())) {
            assertThat(diagnose(server.url(), "--quick", "--token-file=" + token)).isZero();
            assertThat(server.authorizations.poll()).isEqualTo("Bearer s3cret");
        }
        assertThat(diagnose("http://203.0.113.1:8002", "--token-file=" + token)).isEqualTo(2);
        assertThat(output())
                .contains("requires https or a loopback address")
                .doesNotContain("s3cret");
    }

    @Test
    void token_is_sent_over_https_only_to_a_server_with_a_trusted_certificate(
            @TempDir Path directory) throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "s3cret\n");
        TestCertificates own = TestCertificates.of("kubemirror", "127.0.0.1");
        TestCertificates other = TestCertificates.of("other", "127.0.0.1");
        Path others = Files.writeString(directory.resolve("others"), other.certificatePem());
        Path both =
                Files.writeString(
                        directory.resolve("both"), other.certificatePem() + own.certificatePem());
        try (CannedServer server = new CannedServer(own, diagnosis())) {
            assertThat(diagnose(server.url(), "--quick", "--token-file=" + token)).isEqualTo(3);
            assertThat(
                            diagnose(
                                    server.url(),
                                    "--quick",
                                    "--token-file=" + token,
                                    "--ca-file=" + others))
                    .isEqualTo(3);
            assertThat(output()).contains("kubemirror at https://127.0.0.1:", "is not reachable");
            assertThat(server.authorizations).isEmpty();
            output.reset();

            assertThat(
                            diagnose(
                                    server.url(),
                                    "--quick",
                                    "--token-file=" + token,
                                    "--ca-file=" + both))
                    .isZero();
            assertThat(output()).contains("No problems found.");
            assertThat(server.authorizations).containsExactly("Bearer s3cret");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "https://mirror:8001, https://mirror:8002, true",
        "https://Mirror:8001, https://mirror:8002, true",
        "http://127.0.0.1:8001, https://localhost:8002, true",
        "http://mirror:8001, https://mirror:8002, false",
        "https://other:8001, https://mirror:8002, false",
        "http://127.0.0.1:8001, https://mirror:8002, false",
        "https://127.0.0.1:8001, https://mirror:8002, false"
    })
    void token_goes_only_to_the_host_that_was_named(URI api, URI url, boolean may) {
        assertThat(DiagnoseCommand.mayHaveToken(api, url)).isEqualTo(may);
    }

    @Test
    void api_that_must_not_have_the_token_is_not_tested(@TempDir Path directory)
            throws IOException {
        Path token = Files.writeString(directory.resolve("token"), "s3cret\n");
        String mirror = "{\"name\":\"pods\",\"path\":\"/api/v1/pods\",\"state\":{\"synced\":true}}";
        String diagnosis =
                diagnosis()
                        .replace("\"mirrors\":[]", "\"mirrors\":[" + mirror + "]")
                        .replace("http://127.0.0.1:1", "http://mirror.invalid:8001");
        try (CannedServer server = new CannedServer(200, diagnosis)) {
            assertThat(diagnose(server.url(), "--token-file=" + token)).isZero();
            assertThat(output())
                    .startsWith("NOTE     no list was tested")
                    .contains("http://mirror.invalid:8001");
        }
    }

    @Test
    void forbidden_or_unreachable_kubemirror_has_its_own_exit_code() throws IOException {
        try (CannedServer server = new CannedServer(403, "Forbidden: not from here")) {
            assertThat(diagnose(server.url())).isEqualTo(3);
            assertThat(output()).contains("returned an error: HTTP 403 Forbidden: not from here");
        }
        assertThat(diagnose("http://127.0.0.1:1")).isEqualTo(3);
        assertThat(output()).contains("is not reachable");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--url=localhost", "--urll=http://a", "--ca-file=/none", "--url=%"})
    void invalid_options_are_one_line_that_leads_to_the_help(String option) {
        assertThat(run(Stream.of(option))).isEqualTo(2);
        assertThat(output().lines()).singleElement().asString().startsWith("kubemirror diagnose: ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    --ca-file | s3cret | has no certificate in PEM format
                    --ca-file | '' | has no certificate in PEM format
                    --token-file | '' | has no token
                    --token-file | 's3cret\ns3cret' | has no token
                    """)
    void file_that_has_something_else_is_named_and_not_quoted(
            String option, String content, String problem, @TempDir Path directory)
            throws IOException {
        Path file = Files.writeString(directory.resolve("file"), content);

        assertThat(diagnose("https://127.0.0.1:1", option + "=" + file)).isEqualTo(2);
        assertThat(output().strip())
                .isEqualTo(
                        "kubemirror diagnose: %s %s %s; see 'kubemirror diagnose --help'"
                                .formatted(option, file, problem));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--ca-file", "--token-file"})
    void file_that_cannot_be_read_is_named(String option) {
        assertThat(diagnose("https://127.0.0.1:1", option + "=/no/file")).isEqualTo(2);
        assertThat(output()).contains(option + " /no/file: no such file or directory; see");
    }

    private int diagnose(String url, String... options) {
        return run(Stream.concat(Stream.of("--url=" + url), Arrays.stream(options)));
    }

    private int run(Stream<String> options) {
        PrintWriter out = new PrintWriter(output, true, StandardCharsets.UTF_8);
        return CommandLineTool.run(
                Stream.concat(Stream.of("diagnose"), options).toList(), out, out);
    }

    private String output() {
        return output.toString(StandardCharsets.UTF_8);
    }

    private static String url(ConfigurableApplicationContext kubemirror) {
        return ApplicationLauncher.url(kubemirror, "local.management.port").toString();
    }

    /** A diagnosis with findings, each a severity and a kind. */
    private static String diagnosis(String... findings) {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i + 1 < findings.length; i += 2) {
            all.append(all.isEmpty() ? "" : ",");
            all.append(
                    "{\"severity\":\"%s\",\"kind\":\"%s\",\"mirror\":\"\",\"text\":\"a text\"}"
                            .formatted(findings[i], findings[i + 1]));
        }
        return "{\"at\":\"2026-03-01T10:00:00Z\",\"findings\":["
                + all
                + "],\"program\":{\"api\":\"http://127.0.0.1:1\"},\"mirrors\":[]}";
    }

    /** A management port with scripted responses. */
    private static final class CannedServer implements AutoCloseable {

        private static final InetSocketAddress LOOPBACK =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

        final BlockingQueue<String> authorizations = new LinkedBlockingQueue<>();
        final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
        private final HttpServer server;
        private final String scheme;
        volatile String body;

        CannedServer(int code, String body) throws IOException {
            this(HttpServer.create(LOOPBACK, 0), "http", code, body);
        }

        /** The same over HTTPS. */
        CannedServer(TestCertificates own, String body) throws Exception {
            this(https(own), "https", 200, body);
        }

        private CannedServer(HttpServer server, String scheme, int code, String body) {
            this.server = server;
            this.scheme = scheme;
            this.body = body;
            server.createContext(
                    "/api",
                    exchange -> {
                        requests.add(exchange.getRequestURI().toString());
                        exchange.sendResponseHeaders(200, 2);
                        exchange.getResponseBody().write(new byte[] {'{', '}'});
                        exchange.close();
                    });
            server.createContext(
                    "/actuator/mirrors",
                    exchange -> {
                        requests.add(exchange.getRequestURI().toString());
                        authorizations.add(
                                Optional.ofNullable(
                                                exchange.getRequestHeaders()
                                                        .getFirst("Authorization"))
                                        .orElse(""));
                        byte[] bytes =
                                this.body
                                        .replace("OWN_URL", url())
                                        .getBytes(StandardCharsets.UTF_8);
                        exchange.sendResponseHeaders(code, bytes.length);
                        exchange.getResponseBody().write(bytes);
                        exchange.close();
                    });
            server.start();
        }

        private static HttpServer https(TestCertificates own) throws Exception {
            HttpsServer server = HttpsServer.create(LOOPBACK, 0);
            server.setHttpsConfigurator(new HttpsConfigurator(own.serving(own)));
            return server;
        }

        String url() {
            return scheme + "://127.0.0.1:" + server.getAddress().getPort();
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }
}
