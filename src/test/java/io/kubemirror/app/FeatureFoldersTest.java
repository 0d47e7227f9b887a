package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testing.Unchecked;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Nothing outside a feature's folder imports the feature, its tests included, so that {@code rm -r}
 * of its folders leaves what compiles. Tests of the rest that need its properties start the
 * application in its folder, but for those of several features at once in {@code pairs}.
 */
class FeatureFoldersTest {

    private static final Pattern IMPORT =
            Pattern.compile(
                    "^import (?:static )?io\\.kubemirror\\.feature\\.(\\w+)", Pattern.MULTILINE);

    @ParameterizedTest
    @ValueSource(strings = {"src/main/java", "src/test/java", "src/stress/java"})
    void only_a_feature_itself_imports_it(String sources) throws IOException {
        Set<String> foreign = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of(sources))) {
            files.filter(file -> file.toString().endsWith(".java"))
                    .forEach(file -> addForeign(file, foreign));
        }

        assertThat(foreign).isEmpty();
    }

    private static void addForeign(Path file, Set<String> foreign) {
        Unchecked.run(
                () ->
                        IMPORT.matcher(Files.readString(file))
                                .results()
                                .map(name -> name.group(1))
                                .filter(
                                        feature ->
                                                !file.toString()
                                                        .contains("/feature/" + feature + "/"))
                                .forEach(feature -> foreign.add(file + " imports " + feature)));
    }
}
