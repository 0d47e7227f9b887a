package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

@ExtendWith(OutputCaptureExtension.class)
class PassThroughPropertiesTest {

    private final ServerProperties server = new ServerProperties();

    private void check(Map<String, String> settings) {
        var _ = ListenerCheck.check(server, BoundProperties.of(settings));
    }

    @Test
    void anonymous_reads_contradict_authentication() {
        Map<String, String> contradicting =
                Map.of(
                        "kubemirror.pass-through.mode",
                        "client",
                        "kubemirror.pass-through.anonymous-reads",
                        "true",
                        "kubemirror.access.authentication",
                        "token-review");

        assertThatThrownBy(() -> check(contradicting))
                .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                .hasMessageContaining("kubemirror.pass-through.anonymous-reads");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server.address=0.0.0.0",
            })
    void own_identity_is_not_lent_to_the_network_or_to_readers(
            String setting, CapturedOutput output) {
        assertThatThrownBy(
                () ->
                        ApplicationLauncher.with(
                                        "kubemirror.resources[0].resource=pods",
                                        "kubemirror.pass-through.mode=own",
                                        "kubemirror.allow-unauthenticated=true",
                                        "kubemirror.access.authentication=token-review",
                                        setting)
                                .close());

        assertThat(output).contains("kubemirror.pass-through.mode").doesNotContain("Jetty started");
    }

    @ParameterizedTest
    @CsvSource({
        "metadata-only,true,metadata-only",
        "keep-fields[0],metadata.labels,keep-fields",
        "drop-fields[0],spec.secret,drop-fields[0]",
    })
    void own_identity_shows_no_content_that_a_mirror_leaves_out(
            String property, String value, String refused, CapturedOutput output) {
        assertThatThrownBy(
                () ->
                        ApplicationLauncher.with(
                                        "kubemirror.resources[0].resource=pods",
                                        "kubemirror.resources[0]." + property + "=" + value,
                                        "server.address=127.0.0.1",
                                        "kubemirror.pass-through.mode=own")
                                .close());

        assertThat(output)
                .contains(
                        "kubemirror.resources[0]." + refused,
                        "leaves out what answers of the API server show");
    }

    @Test
    void page_under_any_name_cannot_act_with_the_identity_of_kubemirror(CapturedOutput output) {
        assertThatThrownBy(
                () ->
                        ApplicationLauncher.with(
                                        "kubemirror.resources[0].resource=pods",
                                        "server.address=127.0.0.1",
                                        "kubemirror.pass-through.mode=own",
                                        "kubemirror.allowed-hosts=*")
                                .close());

        assertThat(output)
                .contains("kubemirror.allowed-hosts", "lets every web page that points a name at");
    }
}
