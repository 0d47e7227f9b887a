package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

import java.nio.file.Path;

/** The chart refuses values by their names and says what to write instead. */
class ChartErrorsTest {

    private @TempDir Path directory;
    private Chart chart;

    @BeforeEach
    void open() {
        chart = Chart.of("kubemirror", directory, "mirror", "shop");
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvFileSource(
            resources = "/io/kubemirror/deploy/chart-errors.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void invalid_value_is_rejected_by_name(String pointer, String value, String words) {
        ChartValues mistaken = ChartValues.of("{}").with(pointer, value);

        assertThatThrownBy(() -> chart.render(mistaken)).hasMessageContaining(words);
    }

    @Test
    void socket_that_other_pods_cannot_reach_is_rejected() {
        ChartValues mistaken =
                ChartValues.of(
                        """
                        mode: node
                        tls: {secretName: a}
                        unixSocket: {enabled: true}
                        """);

        assertThatThrownBy(() -> chart.render(mistaken))
                .hasMessageContaining(
                        "unixSocket.enabled: other pods cannot reach the socket of mode: node");
    }

    @Test
    void two_monitors_are_rejected() {
        ChartValues mistaken =
                ChartValues.of(
                        """
                        mode: cluster
                        tls: {secretName: a}
                        podMonitor: {enabled: true}
                        serviceMonitor: {enabled: true}
                        """);

        assertThatThrownBy(() -> chart.render(mistaken))
                .hasMessageContaining("would count everything twice: disable one of them");
    }

    @Test
    void resources_without_roles_need_no_group() {
        ChartValues values =
                ChartValues.of("{resources: [{resource: deployments}], rbac: {create: false}}");

        assertThat(chart.render(values).application()).contains("resource: deployments");
    }

    @Test
    void cluster_without_sidecar_support_is_rejected() {
        Chart example = Chart.of("example", directory.resolve("example"), "app", "shop");

        assertThatThrownBy(() -> example.render(ChartValues.of("{}"), "1.28.3"))
                .hasMessageContaining("1.29");
    }
}
