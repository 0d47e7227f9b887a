package io.kubemirror.app;

import static io.kubemirror.app.ConfigurationMistakes.mistake;
import static io.kubemirror.app.ConfigurationMistakes.printed;
import static io.kubemirror.app.ConfigurationMistakes.theLine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.app.config.ConfigurationErrorReporter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

@ExtendWith(OutputCaptureExtension.class)
class ConfigurationErrorTest {

    private static final String PODS = "kubemirror.resources[0].resource=pods";
    private static final Pattern PLACE_AND_REMEDY =
            Pattern.compile(
                    "kubemirror cannot start: [^ ]+"
                            + "( \\([^ ]+, line \\d+\\)|, line \\d+, column \\d+)?: .+; .+");

    /** Mistakes and the lines about them, each in the folder of what the setting belongs to. */
    private static Stream<Arguments> rows(String file) throws IOException {
        List<Arguments> rows = new ArrayList<>();
        for (Resource resource :
                new PathMatchingResourcePatternResolver()
                        .getResources("classpath*:io/kubemirror/**/" + file)) {
            resource.getContentAsString(StandardCharsets.UTF_8)
                    .lines()
                    .map(row -> row.split(" \\| ", 2))
                    .forEach(row -> rows.add(Arguments.of(row[0], row[1])));
        }
        return rows.stream();
    }

    static Stream<Arguments> mistakes() throws IOException {
        return rows("configuration-errors.csv");
    }

    /** Those that only a start finds. */
    static Stream<Arguments> mistakesOfAStart() throws IOException {
        return rows("start-errors.csv");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mistakes")
    void mistake_is_one_line_with_the_property_and_the_fix(String mistake, String line) {
        assertThat(mistake((PODS + " " + mistake).split(" "))).isEqualTo(line);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mistakesOfAStart")
    void mistake_that_a_start_finds_is_one_line_with_the_property_and_the_fix(
            String mistake, String line, CapturedOutput output) {
        assertThat(printed(output, (PODS + " " + mistake).split(" ")))
                .endsWith("kubemirror cannot start: " + line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1B", "1GB"})
    void batch_that_is_too_small_or_beyond_the_memory_of_clients_is_reported_on_one_line(
            String size, CapturedOutput output) {
        assertThat(
                        printed(
                                output,
                                PODS,
                                "kubemirror.memory.clients=16MB",
                                "kubemirror.watches.batch.max-bytes=" + size))
                .endsWith(
                        "kubemirror cannot start: kubemirror.watches.batch.max-bytes: is too small,"
                                + " or more than an eighth of the 16 MB for clients; use 1KB or"
                                + " more, and at most 2048KB");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    strategy=watch-list | kubemirror.resources[0].strategy: watch-list needs bookmarks; use auto, or set kubemirror.upstream.bookmarks=true
                    lost-after=9m | kubemirror.upstream.lost-after: is shorter than watch-timeout, which a watch without bookmarks may be silent for; raise it, or set kubemirror.upstream.bookmarks=true
                    """)
    void settings_that_need_bookmarks_are_reported_on_one_line(String setting, String line) {
        String owner =
                setting.startsWith("strategy")
                        ? "kubemirror.resources[0]."
                        : "kubemirror.upstream.";
        assertThat(mistake(PODS, "kubemirror.upstream.bookmarks=false", owner + setting))
                .isEqualTo(line);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    label-selector | a in ( | use the syntax of kubectl get --selector
                    field-selector | a | use the syntax of kubectl get --field-selector
                    """)
    void invalid_selector_is_reported_on_one_line(String property, String selector, String remedy) {
        String setting = "kubemirror.resources[0]." + property;

        assertThat(mistake(PODS, setting + "=" + selector))
                .startsWith(setting + ": ")
                .endsWith("; " + remedy);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    server: 10.0.0.1:6443 | server (FILE, line 4): is not a URL; use scheme, host and port, for example https://10.0.0.1:6443
                    kubeconfig: /no/such/file | kubeconfig (FILE, line 4): /no/such/file: cannot read the file
                    context: prod | context (FILE, line 4): KUBECONFIG has no context 'prod'; set this property to one of [test]
                    """)
    void invalid_upstream_configuration_is_reported_with_its_file_and_line(
            String setting, String problem, CapturedOutput output, @TempDir Path directory)
            throws IOException {
        Path kubeconfig =
                Files.writeString(
                        directory.resolve("kubeconfig"),
                        """
                        contexts: [{name: test, context: {cluster: c}}]
                        clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
                        """);
        Path file =
                Files.writeString(
                        directory.resolve("application.yaml"),
                        """
                        kubemirror:
                          resources: [pods]
                          upstream:
                            %s
                            %s
                        """
                                .formatted(
                                        setting,
                                        setting.startsWith("context")
                                                ? "kubeconfig: " + kubeconfig
                                                : ""));

        assertThatThrownBy(() -> ApplicationLauncher.fromFiles(directory + "/").close());

        assertThat(theLine(output.getAll()))
                .contains(
                        "kubemirror cannot start: kubemirror.upstream."
                                + problem.replace("FILE", file.toString())
                                        .replace("KUBECONFIG", kubeconfig.toString()));
    }

    @Test
    void each_mistake_in_a_file_is_one_line_with_place_and_remedy(
            CapturedOutput output, @TempDir Path directory) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String mistake :
                List.of(
                        "resuorces: [pods]",
                        "resources: [pods]\n  history.span: soon",
                        "resources:\n    - resource: pods\n     page-size: 5",
                        "resources: pods: x",
                        "resources: ['pods]",
                        "resources: &all [pods, *all]",
                        "resources:\n    resource: pods",
                        "resources: []",
                        "resources: [pods]\n\tallow-secrets: true",
                        "resources: [pods]\n  allow-secrets: true\n  allow-secrets: false",
                        "resources: [pods]\n  defaults.ttl: 5m",
                        "resources: [pods, pods]",
                        "resources: [secrets]",
                        "resources: [{resource: pods, label-selector: {app: db}}]",
                        "resources: [{resource: pods, history: {max-event: 9}}]",
                        "resources: [pods]\nserver.port: http",
                        "resources: [pods]\nserver.address: 0.0.0.0",
                        "resources: [pods]\n  history: 5m",
                        "resources: [pods]\n  history: {max-events: 1.5}",
                        "resources: [pods]\n  allow-secrets: {{ .Values.secrets }}",
                        "resources: [pods]\nserver.port: 70000",
                        "resources: [pods]\nserver.address: local",
                        "resources: [pods]\n  allow-unauthenticated: true\n"
                                + "server.address: 192.0.2.1",
                        "resources: [pods]\nserver.ssl.bundle: web",
                        "resources: [pods]\nserver.ssl.certificate: /no/tls.crt\n"
                                + "server.ssl.certificate-private-key: /no/tls.key",
                        """
                        resources: [pods]
                        server.ssl.bundle: web
                        spring.ssl.bundle.pem.web.keystore.certificate: file:/no/tls.crt\
                        """,
                        "resources: [pods]\nserver.ssl.key-store: /no/store.p12",
                        "resources: [pods]\nserver.ssl.key-store: /etc/passwd",
                        "resources: [pods]\nserver.ssl.certificate: file:/etc/passwd\n"
                                + "server.ssl.certificate-private-key: file:/etc/passwd")) {
            Files.writeString(
                    directory.resolve("application.yaml"),
                    "kubemirror:\n  upstream:\n    server: http://127.0.0.1:1\n  "
                            + mistake
                            + "\n");
            int before = output.getAll().length();
            assertThatThrownBy(() -> ApplicationLauncher.fromFiles(directory + "/").close());
            lines.add(
                    theLine(output.getAll().substring(before))
                            .replaceFirst(".*(?=kubemirror cannot start: )", "")
                            .replace(directory.toString(), "config"));
        }

        assertThat(lines).allMatch(line -> PLACE_AND_REMEDY.matcher(line).matches());
        assertThat(Files.readString(Path.of("src", "docs", "command-line.md")).lines())
                .filteredOn(line -> line.startsWith("kubemirror cannot start: "))
                .hasSize(3)
                .isSubsetOf(lines);
    }

    @Test
    void missing_resources_error_names_the_property_to_set(CapturedOutput output) {
        assertThatThrownBy(() -> ApplicationLauncher.with().close());

        assertThat(output)
                .contains("kubemirror.resources: is empty; set at least")
                .doesNotContain("\tat ");
    }

    @Test
    void port_conflict_error_names_the_port(CapturedOutput output) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = "server.port=" + taken.getLocalPort();

            assertThatThrownBy(() -> ApplicationLauncher.with(PODS, port).close());

            assertThat(output)
                    .contains(
                            "port " + taken.getLocalPort() + " is already in use; stop the process")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void text_in_the_place_of_a_group_is_not_shown(CapturedOutput output, @TempDir Path directory)
            throws IOException {
        Files.writeString(
                directory.resolve("application.yaml"),
                "kubemirror:\n  resources: [pods]\n  upstream: https://me:hush-hush@host\n");

        assertThatThrownBy(() -> ApplicationLauncher.fromFiles(directory + "/").close());

        assertThat(output)
                .contains("kubemirror.upstream (" + directory, ", line 3): cannot be read; use its")
                .doesNotContain("hush-hush");
    }

    @Test
    void location_that_drops_the_defaults_is_refused(CapturedOutput output) {
        assertThatThrownBy(
                        () ->
                                SpringApplication.run(
                                        KubeMirrorApplication.class,
                                        "--spring.config.location=optional:file:/no/"))
                .isInstanceOf(InvalidConfigurationPropertyValueException.class);

        assertThat(output)
                .contains(
                        "kubemirror cannot start: spring.config.location: replaces the defaults of"
                                + " kubemirror; use spring.config.additional-location, or precede"
                                + " it with classpath:/")
                .doesNotContain("\tat ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    spring.config.additional-location=file:/etc/hosts | spring.config.import or spring.config.additional-location: 'file:/etc/hosts' is not the location of a configuration; use a name that ends with .yaml or .properties, or end that of a directory with /
                    spring.config.import=vault://x | spring.config.import or spring.config.additional-location: 'vault://x' is not the location of a configuration; use a name that ends with .yaml or .properties, or end that of a directory with /
                    spring.application.json={hush-hush | spring.application.json or SPRING_APPLICATION_JSON: is not JSON; correct it
                    """)
    void configuration_that_cannot_be_loaded_is_one_line(
            String setting, String line, CapturedOutput output) {
        assertThatThrownBy(
                () -> SpringApplication.run(KubeMirrorApplication.class, "--" + setting));

        assertThat(theLine(output.getAll())).contains("kubemirror cannot start: ").endsWith(line);
    }

    @Test
    void missing_setting_of_an_element_is_reported_with_the_place_of_the_element(
            CapturedOutput output, @TempDir Path directory) throws IOException {
        Files.writeString(
                directory.resolve("application.yaml"), "kubemirror:\n  resources: ['*']\n");

        assertThatThrownBy(() -> ApplicationLauncher.fromFiles(directory + "/").close());

        assertThat(output).contains("kubemirror.resources[0].start (" + directory, ", line 2): ");
    }

    @Test
    void other_startup_failures_are_left_to_spring_boot() {
        assertThat(new ConfigurationErrorReporter(null).analyze(new IllegalStateException("bug")))
                .isNull();
    }
}
