package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** What the README says about deployment can be deployed. */
class DeploymentSectionTest {

    private static final Path README = Path.of("README.md");
    private static final Path EXAMPLE = Path.of("helm/example");

    private @TempDir Path directory;

    @Test
    void values_in_the_readme_are_rendered() throws Exception {
        Chart chart = Chart.of("kubemirror", directory, "mirror", "shop");
        List<String> values =
                snippets().stream().filter(snippet -> snippet.startsWith("shape:")).toList();

        assertThat(values)
                .map(snippet -> chart.render(Values.of(snippet)).podSpec().isObject())
                .containsExactly(true, true);
    }

    @Test
    void the_dependency_in_the_readme_is_that_of_the_example() throws Exception {
        String dependencies =
                snippets().stream()
                        .filter(snippet -> snippet.startsWith("dependencies:"))
                        .findFirst()
                        .orElseThrow();

        assertThat(Yaml.document(dependencies).path("dependencies"))
                .isEqualTo(Yaml.file(EXAMPLE.resolve("Chart.yaml")).path("dependencies"));
    }

    @Test
    void the_pod_template_in_the_readme_is_that_of_the_example() throws Exception {
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
        String readme = Files.readString(README);
        String section = readme.substring(readme.indexOf("\n## Deployment\n"));
        return Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL)
                .matcher(section.substring(0, section.indexOf("\n## ", 1)))
                .results()
                .map(snippet -> snippet.group(1))
                .toList();
    }
}
