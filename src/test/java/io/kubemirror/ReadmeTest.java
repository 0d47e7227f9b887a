package io.kubemirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.ops.MirrorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
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

    @Test
    void every_metric_of_a_mirror_stands_in_the_table() {
        Scope scope = new Scope(new ResourceName("pods"), Selection.everything());
        Mirror mirror = new Mirror(scope, Window.standard(), Runnable::run);
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        MirrorMetrics metrics = new MirrorMetrics(mirror, _ -> 0, () -> Instant.EPOCH);
        metrics.bindTo(prometheus);

        Set<String> scraped =
                prometheus
                        .scrape()
                        .lines()
                        .filter(line -> !line.startsWith("#"))
                        .map(line -> line.substring(0, line.indexOf('{')))
                        .collect(Collectors.toSet());

        assertThat(inTables("kubemirror_[a-z_]+")).containsAll(scraped);
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
