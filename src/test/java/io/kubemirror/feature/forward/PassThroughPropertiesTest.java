package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.kubemirror.app.BoundProperties;
import io.kubemirror.app.BoundRecords;

import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

import java.util.Map;

class PassThroughPropertiesTest {

    private final ServerProperties server = new ServerProperties();

    private void check(Map<String, String> settings, boolean guarded) {
        BoundRecords records = BoundProperties.records(settings);
        var _ = records.get(PassThroughProperties.class).checked(server, records, guarded);
    }

    @Test
    void clients_of_a_unix_socket_without_a_port_may_act_as_kubemirror() {
        server.setPort(-1);

        assertThatCode(
                        () ->
                                check(
                                        Map.of(
                                                "kubemirror.unix-socket",
                                                "/run/kubemirror/api.sock",
                                                "kubemirror.pass-through.mode",
                                                "own"),
                                        true))
                .doesNotThrowAnyException();
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

        assertThatThrownBy(() -> check(contradicting, true))
                .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                .hasMessageContaining("kubemirror.pass-through.anonymous-reads");
    }

    @Test
    void server_reviews_reads_only_if_there_is_access_control() {
        Map<String, String> reviewed = Map.of("kubemirror.pass-through.mode", "client");

        assertThatCode(() -> check(reviewed, true)).doesNotThrowAnyException();
        assertThatThrownBy(() -> check(reviewed, false))
                .extracting(BoundProperties::mistake, STRING)
                .startsWith("kubemirror.pass-through.mode: needs the access control");
    }
}
