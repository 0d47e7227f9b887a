package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of the deployment page can be deployed. */
class DeploymentSectionTest {

    private static final Path PAGE = Path.of("src/docs/deployment.md");
    private static final Path EXAMPLE = Path.of("helm/example");

    private @TempDir Path directory;

    @Test
    void documented_values_are_rendered() throws Exception {
        Chart chart = Chart.of("kubemirror", directory, "mirror", "shop");
        List<String> values =
                snippets().stream().filter(snippet -> snippet.startsWith("mode:")).toList();

        assertThat(values)
                .map(snippet -> chart.render(ChartValues.of(snippet), "1.36.0").kinds())
                .allMatch(kinds -> kinds.contains("ClusterRole") || kinds.contains("Role"))
                .anyMatch(kinds -> kinds.contains("MutatingAdmissionPolicy"))
                .anyMatch(kinds -> kinds.contains("DaemonSet"))
                .anyMatch(kinds -> kinds.contains("Certificate"))
                .hasSize(4);
    }

    @Test
    void documented_dependency_matches_the_example() throws Exception {
        String dependencies =
                snippets().stream()
                        .filter(snippet -> snippet.startsWith("dependencies:"))
                        .findFirst()
                        .orElseThrow();

        assertThat(YamlTrees.document(dependencies).path("dependencies"))
                .isEqualTo(YamlTrees.file(EXAMPLE.resolve("Chart.yaml")).path("dependencies"));
    }

    @Test
    void documented_pod_template_matches_the_example() throws Exception {
        String example = Files.readString(EXAMPLE.resolve("templates/deployment.yaml"));
        String template =
                snippets().stream()
                        .filter(snippet -> snippet.contains("include"))
                        .findFirst()
                        .orElseThrow();

        assertThat(template.replace(".Subcharts.kubemirror", "$mirror").lines())
                .isNotEmpty()
                .allMatch(example::contains);
    }

    private static List<String> snippets() throws Exception {
        return Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(PAGE))
                .results()
                .map(snippet -> snippet.group(1))
                .toList();
    }
}
