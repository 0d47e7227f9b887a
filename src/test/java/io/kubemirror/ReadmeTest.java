package io.kubemirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The README tells all names and no others. */
@ExtendWith(OutputCaptureExtension.class)
class ReadmeTest {

    private final String readme = read();

    @Test
    void every_property_stands_in_the_table() {
        Set<String> bound =
                Stream.of(
                                names("kubemirror.upstream.", MirrorProperties.Upstream.class),
                                names("kubemirror.resources[].", MirrorProperties.Resource.class),
                                names("kubemirror.history.", MirrorProperties.History.class),
                                names("kubemirror.shutdown.", MirrorProperties.Shutdown.class),
                                names(
                                        "kubemirror.connections.",
                                        MirrorProperties.Connections.class),
                                names("kubemirror.access.", MirrorProperties.Access.class)
                                        .filter(name -> !name.endsWith(".cache")),
                                names(
                                        "kubemirror.access.cache.",
                                        MirrorProperties.Access.Cache.class),
                                Stream.of(
                                        "kubemirror.allowed-hosts",
                                        "kubemirror.allow-unauthenticated",
                                        "kubemirror.allow-secrets"))
                        .flatMap(names -> names)
                        .collect(Collectors.toSet());

        assertThat(inTables("kubemirror\\.[-a-z.\\[\\]]+")).isEqualTo(bound);
    }

    /** That page is compared with what is exposed. */
    @Test
    void every_metric_in_the_table_stands_in_the_reference() throws IOException {
        String reference = Files.readString(Path.of("src", "docs", "metrics.md"));

        assertThat(inTables("kubemirror_[a-z_]+"))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(reference).contains("\n| `" + name + "` |"));
    }

    @Test
    void the_line_about_a_mistake_is_the_one_that_is_printed(CapturedOutput output) {
        assertThatThrownBy(
                () ->
                        Launch.with(
                                        "kubemirror.resources[0].resource=pods",
                                        "kubemirror.resources[0].lable-selector=a")
                                .close());

        String printed = output.getAll().lines().toList().getLast();
        assertThat(readme)
                .contains("\n" + printed.substring(printed.indexOf("kubemirror ")) + "\n");
    }

    private Set<String> inTables(String name) {
        return Pattern.compile("^\\| `(" + name + ")`", Pattern.MULTILINE)
                .matcher(readme)
                .results()
                .map(result -> result.group(1))
                .collect(Collectors.toSet());
    }

    private static Stream<String> names(String prefix, Class<? extends Record> owner) {
        return Arrays.stream(owner.getRecordComponents())
                .map(component -> DataObjectPropertyName.toDashedForm(component.getName()))
                .map(name -> prefix + name);
    }

    private static String read() {
        try {
            return Files.readString(Path.of("README.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
