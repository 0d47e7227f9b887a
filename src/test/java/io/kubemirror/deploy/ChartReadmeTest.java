package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.GeneratedPage;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What the chart says about itself: its README and its schema. */
class ChartReadmeTest {

    private static final Path CHART = Path.of("helm/kubemirror");

    /** Writes the file if {@code -Dchart.write=true} is set. */
    @Test
    void readme_lists_the_values_and_their_comments() throws IOException {
        new GeneratedPage("chart", ChartReadme.FILE).assertMatches(new ChartReadme().text());
    }

    @Test
    void every_value_has_a_comment() {
        assertThat(new ChartReadme().undocumented()).isEmpty();
    }

    /** Values under config and resources are those of the process. */
    @Test
    void schema_has_exactly_the_values_of_the_chart() {
        ObjectNode schema = YamlTrees.file(CHART.resolve("values.schema.json"));
        ObjectNode values = YamlTrees.file(CHART.resolve("values.yaml"));
        Set<String> differences = new TreeSet<>();
        compare("", schema, values, schema, differences);

        assertThat(differences).isEmpty();
    }

    private static void compare(
            String pointer, JsonNode type, JsonNode value, JsonNode root, Set<String> differences) {
        JsonNode resolved =
                type.has("$ref") ? root.at(type.path("$ref").asString().substring(1)) : type;
        if (!resolved.has("properties") || value.isEmpty() || pointer.matches("/config.*")) {
            return;
        }
        JsonNode members = resolved.path("properties");
        Set<String> names = new TreeSet<>(members.propertyNames());
        names.addAll(value.propertyNames());
        for (String name : names) {
            String member = pointer + "/" + name;
            if (members.has(name) != value.has(name)) {
                if (!isOptional(pointer)) {
                    differences.add(member);
                }
            } else {
                compare(member, members.path(name), value.path(name), root, differences);
            }
        }
    }

    /** Objects of Kubernetes, of which the defaults name a part. */
    private static boolean isOptional(String pointer) {
        return pointer.equals("/resources");
    }
}
