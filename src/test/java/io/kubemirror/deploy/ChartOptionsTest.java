package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.PatternMatchUtils;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Each value of the chart reaches the objects that it is about, or is refused by its name with what
 * to write instead.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ChartOptionsTest {

    private final Chart chart;
    private final Chart example;
    private final Chart hooked;
    private final Map<String, RenderedChart> rendered = new HashMap<>();

    ChartOptionsTest(@TempDir Path directory) {
        chart = Chart.of("kubemirror", directory, "mirror", "shop");
        example = Chart.of("example", directory.resolve("example"), "app", "shop");
        hooked = Chart.of("kubemirror", directory.resolve("hooked"), "mirror", "shop").withHooks();
    }

    /** What the pattern does not find is absent; a star stands for any text. */
    @ParameterizedTest(name = "{0}")
    @CsvFileSource(
            resources = "/io/kubemirror/deploy/chart-options.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void value_reaches_its_object(
            String promise, String values, String owner, String pointer, @Nullable String pattern) {
        JsonNode found = at(owner(cluster(values), owner), pointer);

        assertThat(found.isMissingNode()).as("%s: %s", promise, found).isEqualTo(pattern == null);
        if (pattern != null) {
            String text = found.isContainer() ? found.toString() : found.asString();
            assertThat(text).matches(shown -> PatternMatchUtils.simpleMatch(pattern, shown));
        }
    }

    /** Renders a set of values for a mode, such as {@code full node}, or values for a cluster. */
    private RenderedChart cluster(String values) {
        return rendered.computeIfAbsent(values, _ -> chart.render(values(values)));
    }

    private static ChartValues values(String text) {
        if (text.startsWith("full ")) {
            return ChartValues.set("full").mode(text.substring("full ".length()));
        }
        ObjectNode tree = ChartValues.set("small").mode("cluster").tree();
        tree.setAll(ChartValues.of(text).tree());
        return new ChartValues(tree);
    }

    private static JsonNode owner(RenderedChart rendered, String owner) {
        return switch (owner) {
            case "pod" -> rendered.podSpec();
            case "container" -> rendered.container();
            case String kind -> rendered.only(kind);
        };
    }

    /** What is at a pointer, in which the name of an element may stand for its index. */
    private static JsonNode at(JsonNode owner, String pointer) {
        JsonNode found = owner;
        for (String step : pointer.substring(1).split("/", -1)) {
            found =
                    found.isArray() && !step.matches("\\d+")
                            ? named(found, step)
                            : found.at("/" + step);
        }
        return found;
    }

    private static JsonNode named(JsonNode elements, String name) {
        return elements.valueStream()
                .filter(element -> element.path("name").asString().equals(name))
                .findFirst()
                .orElseGet(MissingNode::getInstance);
    }

    @Test
    void diagnostics_are_off_by_default() {
        assertThat(cluster("{}").podSpec().toString())
                .doesNotContain("diagnostics", "HeapDump", "FlightRecord");
    }

    /** What the process would refuse, and what would cut its shutdown short. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    tls: {secretName: a}, config: {kubemirror: {pass-through: {mode: own}}} | config.kubemirror.pass-through.mode: with own, every client
                    terminationGracePeriodSeconds: 16 | terminationGracePeriodSeconds is 16, less than
                    tls: {secretName: a}, config: {kubemirror: {shutdown: {delay: 2m}}} | use 132 or more
                    tls: {secretName: a}, config: {kubemirror: {shutdown: {watch-spread: 20s}}} | use 35 or more
                    """)
    void contradiction_is_refused(String values, String problem) {
        assertThatThrownBy(() -> cluster("{" + values + "}")).hasMessageContaining(problem);
    }

    @Test
    void registry_of_all_images_is_that_of_the_test() {
        RenderedChart rendered = hooked.render(values("global: {imageRegistry: own.example}"));

        assertThat(rendered.only("Pod").at("/spec/containers/0/image").asString())
                .startsWith("own.example/curlimages/curl:");
    }

    @Test
    void pull_secrets_reach_pods_and_the_test() {
        RenderedChart rendered = hooked.render(values("imagePullSecrets: [{name: registry}]"));

        assertThat(rendered.podSpec().at("/imagePullSecrets/0/name").asString())
                .isEqualTo("registry");
        assertThat(rendered.only("Pod").at("/spec/imagePullSecrets/0/name").asString())
                .isEqualTo("registry");
    }

    @ParameterizedTest
    @CsvSource({
        "'{}', mirror-kubemirror, kubemirror",
        "'{nameOverride: pods}', mirror-pods, pods",
        "'{nameOverride: mirror}', mirror, mirror",
        "'{fullnameOverride: reader}', reader, kubemirror"
    })
    void names_can_be_replaced(String values, String name, String label) {
        RenderedChart rendered = cluster(values);

        for (String kind : List.of("Deployment", "Service", "ConfigMap", "ServiceAccount")) {
            assertThat(rendered.only(kind).at("/metadata/name").asString()).isEqualTo(name);
        }
        assertThat(rendered.only("Service").at("/spec/selector/app.kubernetes.io~1name").asString())
                .isEqualTo(label);
        assertThat(rendered.only("ClusterRole").at("/metadata/name").asString())
                .isEqualTo("shop-" + name);
    }

    @Test
    void common_labels_and_annotations_reach_all_objects() {
        RenderedChart rendered = chart.render(ChartValues.set("full").mode("cluster"));

        for (ObjectNode manifest : rendered.manifests()) {
            if (!manifest.at("/metadata/name").asString().matches(".*-(extra|more)")) {
                String kind = manifest.path("kind").asString();
                assertThat(manifest.at("/metadata/labels/example.com~1owner").asString())
                        .as(kind)
                        .isEqualTo("shop");
                assertThat(manifest.at("/metadata/annotations/example.com~1contact").asString())
                        .as(kind)
                        .isEqualTo("shop");
            }
        }
        JsonNode pod = rendered.only("Deployment").at("/spec/template/metadata/labels");
        assertThat(pod.path("example.com/owner").asString()).isEqualTo("shop");
        assertThat(rendered.only("Deployment").at("/spec/selector/matchLabels").toString())
                .doesNotContain("example.com");
    }

    /** Common labels cannot change what the chart selects pods by. */
    @Test
    void common_labels_leave_the_labels_of_the_chart_alone() {
        RenderedChart rendered = cluster("commonLabels: {app.kubernetes.io/name: other}");

        assertThat(rendered.only("Deployment").at("/spec/template/metadata/labels"))
                .containsAll(rendered.only("Deployment").at("/spec/selector/matchLabels"));
    }

    /** Of processes, containers, Services, probes, and monitors. */
    @ParameterizedTest
    @ValueSource(strings = {"node", "cluster"})
    void changed_ports_reach_everything_that_uses_them(String mode) {
        ChartValues values =
                ChartValues.set("small")
                        .mode(mode)
                        .with("/ports", "{\"api\": 9001, \"management\": 9002}")
                        .with("/serviceMonitor", "{\"enabled\": true}");
        RenderedChart rendered = chart.render(values);
        JsonNode container = rendered.container();

        assertThat(YamlTrees.document(rendered.application()).at("/server/port").asInt())
                .isEqualTo(9001);
        assertThat(YamlTrees.document(rendered.application()).at("/management/server/port").asInt())
                .isEqualTo(9002);
        assertThat(at(container, "/ports/mirror-api/containerPort").asInt()).isEqualTo(9001);
        assertThat(at(container, "/ports/mirror-metrics/containerPort").asInt()).isEqualTo(9002);
        for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
            assertThat(container.path(probe).at("/httpGet/port").asString())
                    .isEqualTo("mirror-metrics");
        }
        JsonNode service = rendered.only("Service").path("spec");
        assertThat(service.at("/ports/0/targetPort").asString()).isEqualTo("mirror-api");
        assertThat(service.at("/ports/1/targetPort").asString()).isEqualTo("mirror-metrics");
        assertThat(service.at("/ports/1/name"))
                .isEqualTo(rendered.only("ServiceMonitor").at("/spec/endpoints/0/port"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"sidecar", "cluster"})
    void open_shift_assigns_the_users_that_are_null(String mode) {
        ChartValues values =
                ChartValues.of(
                        """
                        mode: %s
                        tls: {secretName: a}
                        securityContext: {runAsUser: null, runAsGroup: null}
                        podSecurityContext: {fsGroup: null}
                        """
                                .formatted(mode));
        RenderedChart rendered =
                mode.equals("sidecar")
                        ? example.render(values.under("kubemirror"))
                        : chart.render(values);

        assertThat(rendered.container().path("securityContext").toString())
                .contains("runAsNonRoot")
                .doesNotContain("65532", "null");
        assertThat(rendered.podSpec().path("securityContext").toString())
                .doesNotContain("65532", "null");
    }

    @Test
    void extra_objects_are_templates() {
        assertThat(chart.render(ChartValues.set("full")).all("ConfigMap"))
                .extracting(object -> object.at("/metadata/name").asString())
                .contains("mirror-extra", "mirror-reader-more");
    }

    @Test
    void issued_certificate_is_the_one_that_is_served() {
        RenderedChart rendered = chart.render(ChartValues.set("full").mode("cluster"));
        JsonNode certificate = rendered.only("Certificate").path("spec");

        assertThat(rendered.podSpec().path("volumes").findValuesAsString("secretName"))
                .contains(certificate.path("secretName").asString());
        assertThat(rendered.application()).contains("bundle: kubemirror");
    }

    @Test
    void helm_test_reads_the_service_and_is_not_behind_it() {
        RenderedChart rendered = hooked.render(values("{}"));
        JsonNode pod = rendered.only("Pod");

        assertThat(pod.at("/metadata/annotations/example.com~1hook").asString()).isEqualTo("test");
        assertThat(pod.at("/spec/containers/0/args").toString())
                .contains("--cacert")
                .contains("https://mirror-kubemirror.shop.svc:8001/readyz");
        assertThat(pod.at("/spec/volumes/0/secret/items").toString()).doesNotContain("tls.key");
        assertThat(pod.at("/metadata/labels/app.kubernetes.io~1name"))
                .isNotEqualTo(
                        rendered.only("Service").at("/spec/selector/app.kubernetes.io~1name"));
        assertThat(
                        hooked.render(
                                        ChartValues.of(
                                                "{mode: node, config: {kubemirror:"
                                                        + " {allow-unauthenticated: true}}}"))
                                .only("Pod")
                                .at("/spec/containers/0/args")
                                .toString())
                .contains("http://mirror-kubemirror.shop.svc:8001/readyz")
                .doesNotContain("--cacert");
    }

    /** The first process of a container ignores signals that it does not handle. */
    @Test
    void application_of_the_example_ends_before_its_grace_period(@TempDir Path programs)
            throws Exception {
        Path curl = programs.resolve("curl");
        Files.writeString(curl, "#!/bin/sh\ntrap '' TERM\necho begun\nsleep 60\n");
        assertThat(curl.toFile().setExecutable(true)).isTrue();
        // It looks for the program where the environment says, which Java does not.
        List<String> words = new ArrayList<>(List.of("env"));
        example.render(values("{}"))
                .podSpec()
                .at("/containers/0/command")
                .forEach(word -> words.add(word.asString()));
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().merge("PATH", programs + ":", (path, own) -> own + path);
        Process process = builder.start();
        assertThat(process.inputReader().readLine()).isEqualTo("begun");
        List<ProcessHandle> children = process.descendants().toList();
        try {
            process.destroy();

            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            children.forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    @Test
    void own_namespace_is_that_of_the_release() {
        ChartValues values =
                ChartValues.of("resources: [{resource: pods, namespaces: [\"${POD_NAMESPACE}\"]}]");
        RenderedChart rendered = chart.render(values);

        assertThat(rendered.all("ClusterRole")).isEmpty();
        assertThat(rendered.only("Role").at("/metadata/namespace").asString()).isEqualTo("shop");
        assertThat(rendered.application()).contains("- ${POD_NAMESPACE}");
        assertThat(example.render(values.under("kubemirror")).container().path("env").toString())
                .contains("{\"name\":\"POD_NAMESPACE\",\"valueFrom\"");
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvFileSource(
            resources = "/io/kubemirror/deploy/chart-errors.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void invalid_value_is_rejected_by_name(String pointer, String value, String words) {
        ChartValues mistaken = ChartValues.of("{}").with(pointer, value);

        assertThatThrownBy(() -> chart.render(mistaken)).hasMessageContaining(words);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {mode: cluster, tls: {secretName: a}, podMonitor: {enabled: true}, serviceMonitor: {enabled: true}} | would count everything twice: disable one of them
                    """)
    void values_that_do_not_go_together_are_rejected(String values, String words) {
        assertThatThrownBy(() -> chart.render(ChartValues.of(values))).hasMessageContaining(words);
    }

    @Test
    void resources_without_roles_need_no_group() {
        ChartValues values =
                ChartValues.of("{resources: [{resource: deployments}], rbac: {create: false}}");

        assertThat(chart.render(values).application()).contains("resource: deployments");
    }

    @Test
    void cluster_without_sidecar_support_is_rejected() {

        assertThatThrownBy(() -> example.render(ChartValues.of("{}"), "1.28.3"))
                .hasMessageContaining("1.29");
    }
}
