package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.mirror.MirrorSet;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** The process accepts the configuration that the chart renders. */
class RenderedConfigurationTest {

    private @TempDir Path charts;
    private @TempDir Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"sidecar", "node", "cluster"})
    void full_chart_values_render_a_working_configuration(String mode) throws Exception {
        try (var started = start(ChartValues.set("full").mode(mode))) {
            assertThat(mirrors(started))
                    .hasSize(7)
                    .anyMatch(scope -> scope.startsWith("pods/yard"))
                    .anyMatch(scope -> scope.contains("widgets.example.com"));
            assertThat(
                            started.getEnvironment()
                                    .getProperty("kubemirror.resources[4].field-selector"))
                    .isEqualTo("metadata.name=node-7");
            assertThat(started.getEnvironment().getProperty("kubemirror.watches.rebalance-above"))
                    .isEqualTo(mode.equals("cluster") ? "4400" : null);
            assertThat(Files.readString(directory.resolve("application.yaml")))
                    .contains("delay: 3s", "max: 500");
        }
    }

    private static List<String> mirrors(ConfigurableApplicationContext started) {
        return started.getBean(MirrorSet.class).stream()
                .map(mirror -> mirror.scope().toString())
                .toList();
    }

    private ConfigurableApplicationContext start(ChartValues values) throws Exception {
        Chart chart = Chart.of("kubemirror", charts, "mirror", "shop");
        Files.writeString(
                directory.resolve("application.yaml"), chart.render(values).application());
        TestCertificates certificate = TestCertificates.of("mirror", "test");
        String bundle = "spring.ssl.bundle.pem.kubemirror.keystore.";
        return ApplicationLauncher.with(
                Map.of("NODE_NAME", "node-7", "POD_NAMESPACE", "yard"),
                "kubemirror.shutdown.delay=0s",
                "spring.config.additional-location=file:" + directory + "/",
                bundle + "certificate=" + file("tls.crt", certificate.certificatePem()),
                bundle + "private-key=" + file("tls.key", certificate.keyPem()));
    }

    private Path file(String name, String text) throws Exception {
        return Files.writeString(directory.resolve(name), text);
    }
}
