package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import com.marcnuri.helm.LintResult;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.util.PatternMatchUtils;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The chart as Helm renders it. Two tables say which value reaches which object, and which values
 * are refused with which words.
 */
@TestInstance(Lifecycle.PER_CLASS)
class ChartTest {

    private final Chart chart;
    private final Chart example;
    private final Map<String, RenderedChart> rendered = new HashMap<>();

    ChartTest(@TempDir Path directory) {
        chart = Chart.of("kubemirror", directory, "mirror", "shop").withHooks();
        example = Chart.of("example", directory.resolve("example"), "app", "shop");
    }

    static List<ChartValues> linted() {
        List<ChartValues> all = new ArrayList<>();
        all.add(ChartValues.of("{}"));
        all.add(ChartValues.example("production"));
        for (String mode : List.of("sidecar", "node", "cluster")) {
            all.add(ChartValues.set("small").mode(mode));
            all.add(ChartValues.set("full").mode(mode));
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("linted")
    void helm_lint_passes(ChartValues values) {
        LintResult result = chart.lint(values);

        assertThat(result.isFailed()).as(result.getMessages().toString()).isFalse();
    }

    /** What the pattern does not find is absent; a star stands for any text. */
    @ParameterizedTest(name = "{0}")
    @CsvFileSource(
            resources = "/io/kubemirror/deploy/chart-options.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void value_reaches_its_object(
            String promise, String values, String owner, String pointer, @Nullable String pattern) {
        JsonNode found = at(owner(render(values), owner), pointer);

        assertThat(found.isMissingNode()).as("%s: %s", promise, found).isEqualTo(pattern == null);
        if (pattern != null) {
            String text = found.isContainer() ? found.toString() : found.asString();
            assertThat(text).matches(shown -> PatternMatchUtils.simpleMatch(pattern, shown));
        }
    }

    /**
     * Renders values for a cluster; after {@code full}, a set of values for a mode; after {@code
     * only}, values as they are; after {@code inject}, the same for Kubernetes 1.36; after {@code
     * example}, the chart of an application with a sidecar.
     */
    private RenderedChart render(String text) {
        return rendered.computeIfAbsent(
                text,
                _ -> {
                    String rest = text.substring(text.indexOf(' ') + 1);
                    return switch (text.split(" ", 2)[0]) {
                        case "full" -> chart.render(ChartValues.set("full").mode(rest));
                        case "production" -> chart.render(ChartValues.example("production"));
                        case "only" -> chart.render(ChartValues.of(rest));
                        case "inject" -> chart.render(ChartValues.of(rest), "1.36.0");
                        case "example" -> example.render(ChartValues.of(rest).under("kubemirror"));
                        default -> chart.render(cluster(text));
                    };
                });
    }

    private static ChartValues cluster(String text) {
        ObjectNode tree = ChartValues.set("small").mode("cluster").tree();
        tree.setAll(ChartValues.of(text).tree());
        return new ChartValues(tree);
    }

    private static JsonNode owner(RenderedChart rendered, String owner) {
        return switch (owner) {
            case "pod" -> rendered.podSpec();
            case "workload" -> rendered.workload().orElseThrow();
            case "container" -> rendered.container();
            case "application" -> YamlTrees.document(rendered.application());
            case "kinds" -> all(rendered.kinds().stream());
            case "rules" -> all(objects(rendered, "Role").flatMap(ChartTest::rules));
            case "bindings" -> all(objects(rendered, "RoleBinding").map(ChartTest::binding));
            case String kind -> rendered.only(kind);
        };
    }

    private static JsonNode all(Stream<String> words) {
        return YamlTrees.document("{}").put("all", words.collect(Collectors.joining(" ")));
    }

    /** Those of the cluster, then those of namespaces. */
    private static Stream<ObjectNode> objects(RenderedChart rendered, String kind) {
        return Stream.of("Cluster" + kind, kind).flatMap(each -> rendered.all(each).stream());
    }

    /** What a role grants, as {@code Role/shop:pods.}, with other verbs than those of a reader. */
    private static Stream<String> rules(JsonNode role) {
        String where = text(role, "/kind") + "/" + text(role, "/metadata/namespace");
        return role.path("rules")
                .valueStream()
                .map(
                        rule ->
                                where
                                        + ":"
                                        + text(rule, "/resources/0")
                                        + "."
                                        + text(rule, "/apiGroups/0")
                                        + rule.path("verbs")
                                                .toString()
                                                .replace("[\"get\",\"list\",\"watch\"]", ""));
    }

    /** Who gets a role where, as {@code shop:view<app}. */
    private static String binding(JsonNode binding) {
        return text(binding, "/metadata/namespace")
                + ":"
                + text(binding, "/roleRef/name")
                + "<"
                + String.join(",", binding.path("subjects").findValuesAsString("name"));
    }

    private static String text(JsonNode owner, String pointer) {
        return owner.at(pointer).asString("");
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

    /** At the pointer {@code all} are values for a cluster. */
    @ParameterizedTest(name = "{0}: {1}")
    @CsvFileSource(
            resources = "/io/kubemirror/deploy/chart-errors.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void invalid_value_is_rejected_by_name(String pointer, String value, String words) {
        ChartValues mistaken =
                pointer.equals("all") ? cluster(value) : ChartValues.of("{}").with(pointer, value);

        assertThatThrownBy(() -> chart.render(mistaken)).hasMessageContaining(words);
    }

    @Test
    void sidecar_needs_its_mode_and_kubernetes_1_30() {
        ChartValues cluster = ChartValues.set("small").mode("cluster").under("kubemirror");

        assertThatThrownBy(() -> example.render(cluster))
                .hasMessageContaining("set mode: sidecar for the pods of another chart");
        assertThatThrownBy(() -> example.render(ChartValues.of("{}"), "1.29.3"))
                .hasMessageContaining("1.30");
    }

    @Test
    void common_labels_and_annotations_reach_all_objects_but_no_selector() {
        for (ObjectNode manifest : render("full cluster").manifests()) {
            if (!text(manifest, "/metadata/name").matches(".*-(extra|more)")) {
                assertThat(text(manifest, "/metadata/labels/example.com~1owner"))
                        .as(text(manifest, "/kind"))
                        .isEqualTo("shop");
                assertThat(text(manifest, "/metadata/annotations/example.com~1contact"))
                        .isEqualTo("shop");
            }
        }
        JsonNode other = render("commonLabels: {app.kubernetes.io/name: other}").only("Deployment");
        assertThat(other.at("/spec/template/metadata/labels"))
                .containsAll(other.at("/spec/selector/matchLabels"));
    }

    @Test
    void changed_configuration_starts_new_pods_of_a_cluster_only() {
        ChartValues cluster = ChartValues.set("small").mode("cluster");
        ChartValues node = ChartValues.set("small").mode("node");

        assertThat(template(cluster)).isEqualTo(template(cluster));
        assertThat(template(cluster)).isNotEqualTo(template(changed(cluster)));
        assertThat(template(node)).isEqualTo(template(changed(node)));
    }

    private static ChartValues changed(ChartValues values) {
        return values.with("/mirror/0/resource", "\"nodes\"");
    }

    private JsonNode template(ChartValues values) {
        return chart.render(values).workload().orElseThrow().at("/spec/template");
    }
}
