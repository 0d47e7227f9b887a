package io.kubemirror.programs;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.GeneratedPage;

import org.junit.jupiter.api.Test;

/** The page about compatibility has the programs that are tested, and their configuration. */
class ProgramsDocumentTest {

    private static final GeneratedPage PAGE = GeneratedPage.section("programs", "compatibility");

    /** Writes the table if {@code -Dprograms.write=true} is set. */
    @Test
    void table_has_every_program() throws IOException {
        PAGE.assertHasSection(
                "\n| Program | Setting | What it does |\n| --- | --- | --- |\n"
                        + Arrays.stream(Program.values())
                                .map(program -> program.description() + "\n")
                                .collect(Collectors.joining()));
    }

    @Test
    void page_has_the_configuration_of_the_tests() throws IOException {
        Path kubeconfig = Path.of("src", "test", "programs", "kubeconfig.yaml");

        assertThat(Files.readString(PAGE.file()))
                .contains("  resources: [" + String.join(", ", ProgramFixture.MIRRORED) + "]\n")
                .contains("```yaml\n" + Files.readString(kubeconfig) + "```");
    }
}
