package io.kubemirror.history;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.clients.ProgramRun;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The defects that histories and pairs have to find can be put into the sources as they are. */
class DefectPatchesTest {

    private static final Path DEFECTS = Path.of("src", "test", "defects");

    static List<Path> patches() throws IOException {
        try (Stream<Path> files = Files.walk(DEFECTS)) {
            return files.filter(file -> file.toString().endsWith(".patch")).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("patches")
    void defect_applies_to_the_sources(Path patch) {
        try (ProgramRun run =
                ProgramRun.start(
                        Path.of("."), List.of("git", "apply", "--check", patch.toString()))) {
            assertThat(run.outcome()).endsWith("exit code 0");
        }
    }

    static List<Path> patchesOfHistories() throws IOException {
        return patches().stream().filter(patch -> DEFECTS.equals(patch.getParent())).toList();
    }

    @ParameterizedTest
    @MethodSource("patchesOfHistories")
    void defect_names_the_promises_that_it_breaks(Path patch) throws IOException {
        assertThat(Files.readAllLines(patch).getFirst()).matches("Breaks: [a-z ]+(, [a-z ]+)*");
    }
}
