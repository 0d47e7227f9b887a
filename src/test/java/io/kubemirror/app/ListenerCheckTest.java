package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.kubemirror.kube.TestCertificates;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.ConfigurableApplicationContext;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

@ExtendWith(OutputCaptureExtension.class)
class ListenerCheckTest {

    private final ServerProperties server = new ServerProperties();

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.0.0.2", "::1", "localhost"})
    void loopback_needs_no_protection(String address) throws UnknownHostException {
        server.setAddress(InetAddress.getByName(address));

        assertThatCode(() -> new ListenerCheck(server, false, false)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "10.0.0.1"})
    void unprotected_non_loopback_address_is_rejected(String address) throws UnknownHostException {
        server.setAddress(InetAddress.getByName(address));

        assertThatThrownBy(() -> new ListenerCheck(server, false, false))
                .extracting(BoundProperties::mistake, STRING)
                .startsWith("server.address: ");
    }

    @Test
    void unix_socket_without_a_port_needs_no_protection() {
        server.setPort(-1);

        assertThatCode(() -> new ListenerCheck(server, false, false)).doesNotThrowAnyException();
    }

    @Test
    void unprotected_default_address_is_rejected() {
        assertThatThrownBy(() -> new ListenerCheck(server, false, false))
                .isInstanceOf(InvalidConfigurationPropertyValueException.class);
    }

    @Test
    void tls_permits_a_non_loopback_address() {
        server.setSsl(new Ssl());

        assertThatCode(() -> new ListenerCheck(server, false, false)).doesNotThrowAnyException();
    }

    @Test
    void authentication_permits_a_non_loopback_address() {
        assertThatCode(() -> new ListenerCheck(server, true, false)).doesNotThrowAnyException();
    }

    @Test
    void missing_tls_or_authentication_is_logged(CapturedOutput output) {
        new ListenerCheck(server, true, false).warn();
        assertThat(output).contains("does not encrypt tokens and objects");

        server.setSsl(new Ssl());
        new ListenerCheck(server, false, false).warn();
        assertThat(output).contains("Every client that can reach the address has read access");
    }

    @Test
    void disabled_tls_does_not_permit_a_non_loopback_address() {
        Ssl off = new Ssl();
        off.setEnabled(false);
        server.setSsl(off);

        assertThatThrownBy(() -> new ListenerCheck(server, false, false))
                .isInstanceOf(InvalidConfigurationPropertyValueException.class);
    }

    @Test
    void application_does_not_start_on_an_unprotected_network_address(CapturedOutput output) {
        assertThatThrownBy(
                () ->
                        ApplicationLauncher.with(
                                        "kubemirror.resources[0].resource=pods",
                                        "server.address=0.0.0.0")
                                .close());

        assertThat(output)
                .contains("kubemirror cannot start: server.address: ")
                .doesNotContain("Jetty started");
    }

    @Test
    void tls_encrypts_the_api_port_but_not_the_management_port() throws Exception {
        TestCertificates own = TestCertificates.of("kubemirror", "localhost");
        String store = "spring.ssl.bundle.pem.own.keystore.";
        try (var context =
                ApplicationLauncher.with(
                        "kubemirror.resources[0].resource=pods",
                        "server.address=0.0.0.0",
                        "server.ssl.bundle=own",
                        store + "certificate=" + own.certificatePem(),
                        store + "private-key=" + own.keyPem())) {
            assertThat(isPlain(context, "local.management.port", "/actuator/health/liveness"))
                    .isTrue();
            assertThat(isPlain(context, "local.server.port", "/livez")).isFalse();
        }
    }

    @Test
    void allow_unauthenticated_permits_an_unprotected_network_address() {
        try (var context =
                ApplicationLauncher.with(
                        "kubemirror.resources[0].resource=pods",
                        "server.address=0.0.0.0",
                        "kubemirror.allow-unauthenticated=true")) {
            assertThat(context.isRunning()).isTrue();
        }
    }

    /** Whether plain HTTP gets an answer that TLS would not give. */
    private static boolean isPlain(ConfigurableApplicationContext context, String port, String path)
            throws Exception {
        URI uri = ApplicationLauncher.url(context, port).resolve(path);
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(uri).build();
            return client.send(request, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException _) {
            return false;
        }
    }
}
