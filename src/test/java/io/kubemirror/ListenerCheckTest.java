package io.kubemirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

import java.net.InetAddress;
import java.net.UnknownHostException;

@ExtendWith(OutputCaptureExtension.class)
class ListenerCheckTest {

    private final ServerProperties server = new ServerProperties();

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.0.0.2", "::1", "localhost"})
    void loopback_needs_no_protection(String address) throws UnknownHostException {
        server.setAddress(InetAddress.getByName(address));

        assertThatCode(() -> new ListenerCheck(server, false)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "10.0.0.1"})
    void another_address_in_the_clear_is_refused(String address) throws UnknownHostException {
        server.setAddress(InetAddress.getByName(address));

        assertThatThrownBy(() -> new ListenerCheck(server, false))
                .isInstanceOf(MistakeException.class)
                .hasMessageStartingWith("server.address: ");
    }

    @Test
    void no_address_means_every_address_and_is_refused() {
        assertThatThrownBy(() -> new ListenerCheck(server, false))
                .isInstanceOf(MistakeException.class);
    }

    @Test
    void tls_protects() {
        server.setSsl(new Ssl());

        assertThatCode(() -> new ListenerCheck(server, false)).doesNotThrowAnyException();
    }

    @Test
    void tls_that_is_switched_off_does_not_protect() {
        Ssl off = new Ssl();
        off.setEnabled(false);
        server.setSsl(off);

        assertThatThrownBy(() -> new ListenerCheck(server, false))
                .isInstanceOf(MistakeException.class);
    }

    @Test
    void the_application_refuses_to_serve_the_network_in_the_clear(CapturedOutput output) {
        assertThatThrownBy(
                () ->
                        Launch.with(
                                        "kubemirror.resources[0].resource=pods",
                                        "server.address=0.0.0.0")
                                .close());

        assertThat(output)
                .contains("kubemirror cannot start: server.address: ")
                .doesNotContain("Jetty started");
    }

    @Test
    void the_operators_word_is_enough() {
        try (var context =
                Launch.with(
                        "kubemirror.resources[0].resource=pods",
                        "server.address=0.0.0.0",
                        "kubemirror.allow-unauthenticated=true")) {
            assertThat(context.isRunning()).isTrue();
        }
    }
}
