package io.kubemirror.deploy;

import static io.kubemirror.testing.Manifests.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.clients.ExternalProgram;
import io.kubemirror.clients.ProgramRun;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.JsonNode;

/**
 * Alerts and dashboard use metrics that a running kubemirror exposes, and alerts fire when they
 * should.
 */
@TestInstance(Lifecycle.PER_CLASS)
class MonitoringTest {

    private static final Path ALERTS = Path.of("helm/kubemirror/alerts.yaml");
    private static final Path RECORDING_RULES = Path.of("helm/kubemirror/recording-rules.yaml");
    private static final Path CONFIGURATION = Path.of("helm/kubemirror/prometheus.yml");
    private static final Path DASHBOARD = Path.of("helm/kubemirror/dashboard.json");
    private static final Path RESOURCES = Path.of("src/test/resources/io/kubemirror/deploy");

    private static final String RUNBOOK =
            "https://github.com/kubemirror/kubemirror/blob/main/src/docs/troubleshooting.md";

    @AutoClose private final ScriptedApiServer server = ScriptedApiServer.create();
    private final Path directory;

    /** What a mirror of pods shows that has been read. */
    private final Scrape healthy;

    MonitoringTest(@TempDir Path directory) throws Exception {
        this.directory = directory;
        for (Path file : List.of(ALERTS, RECORDING_RULES, CONFIGURATION)) {
            Files.copy(file, directory.resolve(file.getFileName()));
        }
        server.ensureNamespace("default");
        server.create(pod("default", "a"));
        try (var application = launch()) {
            RestClient client = ApplicationLauncher.api(application);
            assertThat(client.get("/api/v1/pods").code()).isEqualTo(200);
            assertThat(client.get("/api/v1/pods?watch=1&timeoutSeconds=1").code()).isEqualTo(200);
            healthy = Scrape.of(application);
        }
    }

    private ConfigurableApplicationContext launch() {
        ConfigurableApplicationContext application =
                ApplicationLauncher.mirroring(
                        server.url(),
                        "pods",
                        "kubemirror.upstream.audit-interval=1s",
                        "kubemirror.persistence.directory=" + directory.resolve("mirrors"));
        Scrape.await(
                application, scrape -> scrape.sum("kubemirror_synced", "resource", "pods") > 0);
        return application;
    }

    @Test
    void every_query_uses_existing_metrics() {
        for (PromQuery query : queries(ALERTS, RECORDING_RULES, DASHBOARD)) {
            assertThat(query.metrics()).as(query.text()).isNotEmpty();
            // Prometheus itself adds up.
            assertThat(query.metrics())
                    .as(query.text())
                    .allMatch(name -> name.equals("up") || healthy.names().contains(name));
            assertThat(query.demands())
                    .filteredOn(demand -> !demand.metric().equals("up"))
                    .allMatch(
                            demand -> healthy.has(demand.metric(), demand.label(), demand.value()));
        }
    }

    private static List<PromQuery> queries(Path... owners) {
        return Stream.of(owners)
                .flatMap(owner -> YamlTrees.file(owner).findValues("expr").stream())
                .map(node -> new PromQuery(node.asString()))
                .toList();
    }

    @Test
    void promtool_accepts_the_metrics() throws IOException {
        Files.writeString(directory.resolve("metrics"), own(healthy));

        promtool("check metrics < metrics");
    }

    /** Runs promtool, which checks rules and metrics; an error unless it is content. */
    private void promtool(String arguments) {
        ExternalProgram.PROMTOOL.demand();
        List<String> command = List.of("sh", "-c", "promtool " + arguments);
        try (ProgramRun run = ProgramRun.start(directory, command)) {
            assertThat(run.outcome()).endsWith("exit code 0");
        }
    }

    /** What the JVM's binders publish is not ours to name. */
    private static String own(Scrape scrape) {
        return scrape.text()
                .lines()
                .filter(line -> line.matches("(# (HELP|TYPE) )?kubemirror_.*"))
                .reduce("", (text, line) -> text + line + "\n");
    }

    static Stream<Arguments> rules() {
        return Stream.of(
                arguments("alerts", alerts().stream().map(name -> "alertname: " + name).toList()),
                arguments("recording-rules", figures()));
    }

    private static List<String> figures() {
        return YamlTrees.file(RECORDING_RULES).findValuesAsString("record");
    }

    @ParameterizedTest
    @MethodSource("rules")
    void every_rule_has_a_passing_promtool_test(String rules, List<String> tested)
            throws Exception {
        String name = rules + "-test.yaml";
        Files.copy(RESOURCES.resolve(name), directory.resolve(name));
        promtool("check rules " + rules + ".yaml");
        promtool("test rules " + name);

        String tests = Files.readString(directory.resolve(name));
        assertThat(tested)
                .isNotEmpty()
                .allMatch(one -> Pattern.compile(one + "\\b").matcher(tests).find());
    }

    @Test
    void every_figure_is_documented() throws Exception {
        String documentation = Files.readString(Path.of("src/docs/operations.md"));
        assertThat(figures()).hasSize(9).allMatch(documentation::contains);
    }

    /** The rules that it names are beside it. */
    @Test
    void promtool_accepts_the_configuration_for_a_prometheus_without_operator() throws Exception {
        checkConfiguration("prometheus.yml");

        JsonNode job = YamlTrees.file(CONFIGURATION).at("/scrape_configs/0");
        assertThat(job.path("job_name").asString()).isEqualTo("kubemirror");
        assertThat(job.path("metrics_path").asString()).isEqualTo("/actuator/prometheus");
    }

    /** Some distributions build promtool without the discovery of pods. */
    private void checkConfiguration(String name) throws Exception {
        try {
            promtool("check config " + name);
        } catch (AssertionError refused) {
            String discovery = "kubernetes_sd_configs:\n      - role: pod\n";
            String configuration = Files.readString(directory.resolve(name));
            assertThat(refused).hasMessageContaining("field kubernetes_sd_configs not found");
            assertThat(configuration).contains(discovery);
            Files.writeString(
                    directory.resolve(name),
                    configuration.replace(
                            discovery, "file_sd_configs:\n      - files: [a.json]\n"));
            promtool("check config " + name);
        }
    }

    @Test
    void every_alert_has_severity_description_and_runbook_link() {
        for (JsonNode alert : YamlTrees.file(ALERTS).at("/groups/0/rules")) {
            String name = alert.path("alert").asString();
            JsonNode annotations = alert.path("annotations");

            assertThat(alert.at("/labels/severity").asString()).isIn("critical", "warning");
            assertThat(annotations.path("summary").asString()).endsWith(".");
            // What is not there has no name.
            if (!name.equals("KubemirrorMissing")) {
                assertThat(annotations.path("description").asString())
                        .contains("{{ $labels.namespace }}/{{ $labels.pod }}");
            }
            assertThat(annotations.path("runbook_url").asString())
                    .isEqualTo(RUNBOOK + "#" + name.toLowerCase(Locale.ROOT));
        }
    }

    @Test
    void runbook_has_exactly_one_section_per_alert() throws Exception {
        String runbook = Files.readString(Path.of("src/docs/troubleshooting.md"));

        assertThat(found("^### (\\w+)$", runbook)).containsExactlyElementsOf(alerts());
        for (String section : runbook.split("\n###? ", -1)) {
            if (section.startsWith("Kubemirror")) {
                assertThat(found("^\\*\\*([\\w ]+)\\.\\*\\*", section))
                        .containsExactly("Meaning", "Impact", "Diagnosis", "Mitigation");
            }
        }
    }

    @Test
    void chart_renders_the_shipped_rules_and_dashboard() {
        Chart chart = Chart.of("kubemirror", directory.resolve("charts"), "mirror", "shop");
        RenderedChart rendered =
                chart.render(
                        ChartValues.of(
                                """
                                dashboard: {enabled: true}
                                prometheusRule: {enabled: true, runbooks: "https://example.com/docs/"}
                                """));

        List<JsonNode> rules =
                rendered.only("PrometheusRule").at("/spec/groups/0/rules").valueStream().toList();
        assertThat(rules).map(rule -> rule.path("alert").asString()).isEqualTo(alerts());
        assertThat(rules)
                .map(rule -> rule.at("/annotations/runbook_url").asString())
                .allMatch(
                        url ->
                                url.startsWith(
                                        "https://example.com/docs/troubleshooting.md#kubemirror"));
        assertThat(rules)
                .map(rule -> new PromQuery(rule.path("expr").asString()))
                .isEqualTo(queries(ALERTS));
        assertThat(rendered.only("PrometheusRule").at("/spec/groups").get(1))
                .isEqualTo(YamlTrees.file(RECORDING_RULES).at("/groups/0"));
        assertThat(
                        rendered.all("ConfigMap").stream()
                                .map(map -> map.at("/data/kubemirror.json"))
                                .filter(JsonNode::isString)
                                .map(json -> YamlTrees.document(json.asString())))
                .containsExactly(YamlTrees.file(DASHBOARD));
    }

    private static List<String> alerts() {
        return YamlTrees.file(ALERTS).findValuesAsString("alert");
    }

    private static List<String> found(String pattern, String text) {
        return Pattern.compile(pattern, Pattern.MULTILINE)
                .matcher(text)
                .results()
                .map((MatchResult result) -> result.group(1))
                .distinct()
                .toList();
    }

    /**
     * A PromQL query, parsed for its metrics and label matchers only.
     *
     * @param text the query
     */
    private record PromQuery(String text) {

        /**
         * The metrics of kubemirror and its JVM by their prefixes, and the one that Prometheus
         * adds.
         */
        private static final Pattern SELECTOR =
                Pattern.compile(
                        "\\b((?:kubemirror|jvm|process|system|http)_[a-z0-9_]+|up(?=\\{))(?:\\{([^}]*)})?");

        private static final Pattern MATCHER = Pattern.compile("(\\w+)(=~|=)\"([^\"$]*)\"");

        /**
         * What a query demands of a metric.
         *
         * @param metric the metric
         * @param label one of its labels
         * @param value a value that the label has to have in some series
         */
        record LabelMatcher(String metric, String label, String value) {}

        /** The metrics that it reads. */
        Set<String> metrics() {
            return SELECTOR.matcher(text)
                    .results()
                    .map(result -> result.group(1))
                    .collect(Collectors.toSet());
        }

        /** The values of labels that it selects by, each alternative for itself. */
        List<LabelMatcher> demands() {
            return SELECTOR.matcher(text)
                    .results()
                    .filter(selector -> selector.group(2) != null)
                    .flatMap(
                            selector ->
                                    MATCHER.matcher(selector.group(2))
                                            .results()
                                            .flatMap(matcher -> demands(selector, matcher)))
                    .toList();
        }

        private static Stream<LabelMatcher> demands(MatchResult selector, MatchResult matcher) {
            return Stream.of(matcher.group(3).split("\\|", -1))
                    .map(value -> new LabelMatcher(selector.group(1), matcher.group(1), value));
        }
    }
}
