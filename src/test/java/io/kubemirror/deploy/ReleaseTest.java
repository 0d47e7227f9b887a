package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

/** The image has one name and one version everywhere; a release follows the tests. */
class ReleaseTest {

    private static final Path WORKFLOWS = Path.of(".github/workflows");

    private final JsonNode workflow = YamlTrees.file(WORKFLOWS.resolve("release.yaml"));
    private final JsonNode publish = workflow.at("/jobs/publish");

    @Test
    void image_has_one_name_and_one_tag_everywhere() throws IOException {
        Pattern image =
                Pattern.compile(
                        "("
                                + Pattern.quote(ReleasedImage.name())
                                + "[:@][^\\s`\"',)]*)|(?:--tag|build -t|docker push|load"
                                + " docker-image|image load|images? import) ([^\\s`]+)");
        Set<String> others = new TreeSet<>();
        for (Path file : files()) {
            image.matcher(Files.readString(file))
                    .results()
                    .map(found -> found.group(found.group(1) == null ? 2 : 1))
                    .filter(name -> !name.equals(ReleasedImage.reference()))
                    .forEach(name -> others.add(file + ": " + name));
        }

        assertThat(others).isEmpty();
    }

    /** What users read or run, without tests. */
    private static List<Path> files() throws IOException {
        Set<Path> found = new TreeSet<>(Set.of(Path.of("README.md"), Path.of("Dockerfile")));
        for (String directory : List.of("helm", "src/deploy", "src/docs", ".github")) {
            try (Stream<Path> files = Files.walk(Path.of(directory))) {
                files.filter(file -> file.toString().matches(".*[.](md|ya?ml|tpl|txt)"))
                        .forEach(found::add);
            }
        }
        return List.copyOf(found);
    }

    @Test
    void build_chart_and_image_have_one_version() throws IOException {
        String version = ReleasedImage.version();

        assertThat(Files.readString(Path.of("pom.xml")))
                .contains("<artifactId>kubemirror</artifactId>\n    <version>" + version + "<");
        assertThat(Files.readString(Path.of("Dockerfile")))
                .contains("\nARG VERSION=" + version + "\n");
    }

    @Test
    void release_follows_a_tag_and_the_tests() {
        JsonNode called = YamlTrees.file(WORKFLOWS.resolve("ci.yaml"));

        // YAML 1.1 reads the key on as a boolean.
        assertThat(workflow.at("/true/push/tags").toString()).contains("v[0-9]");
        assertThat(called.path("true").has("workflow_call")).isTrue();
        assertThat(workflow.at("/jobs/verify/uses").asString())
                .isEqualTo("./.github/workflows/ci.yaml");
        assertThat(publish.path("needs").asString()).isEqualTo("verify");
    }

    @Test
    void notes_are_the_section_of_the_changelog() throws Exception {
        Process notes = new ProcessBuilder(".ci/notes", "Unreleased").start();

        assertThat(new String(notes.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("0.1.0")
                .doesNotContain("## [");
        assertThat(notes.waitFor()).isZero();
        assertThat(new ProcessBuilder(".ci/notes", "9.9.9").start().waitFor()).isNotZero();
        assertThat(workflow.toString()).contains(".ci/notes");
    }
}
