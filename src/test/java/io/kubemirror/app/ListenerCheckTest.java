package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import module java.base;

import io.kubemirror.kube.TestCertificates;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.ConfigurableApplicationContext;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

@ExtendWith(OutputCaptureExtension.class)
class ListenerCheckTest {

    private final ServerProperties server = new ServerProperties();

    @ParameterizedTest
    @CsvSource({", false", "NONE, false", "WANT, true", "NEED, true"})
    void client_certificates_require_tls_client_auth(
            Ssl.@Nullable ClientAuth asked, boolean accepted) {
        Ssl tls = new Ssl();
        tls.setClientAuth(asked);
        server.setSsl(tls);
        MirrorProperties properties =
                BoundProperties.of(
                        Map.of("kubemirror.access.authentication", "client-certificate"));

        Throwable refusal = catchThrowable(() -> ListenerCheck.check(server, properties));

        assertThat(refusal == null).isEqualTo(accepted);
    }

    /** Without an address the server listens on all. */
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1,, false, true",
        "::1,, false, true",
        "10.0.0.1,, false, false",
        ",, false, false",
        ", true, false, true",
        ", false, false, false",
        ",, true, true"
    })
    void objects_are_served_to_the_network_only_with_tls_or_authentication(
            @Nullable String address,
            @Nullable Boolean tls,
            boolean authenticated,
            boolean accepted)
            throws UnknownHostException {
        server.setAddress(address == null ? null : InetAddress.getByName(address));
        if (tls != null) {
            Ssl ssl = new Ssl();
            ssl.setEnabled(tls);
            server.setSsl(ssl);
        }

        Throwable refused = catchThrowable(() -> new ListenerCheck(server, authenticated, false));

        if (accepted) {
            assertThat(refused).isNull();
        } else {
            assertThat(refused)
                    .asInstanceOf(type(InvalidConfigurationPropertyValueException.class))
                    .extracting(InvalidConfigurationPropertyValueException::getName)
                    .isEqualTo("server.address");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, kubemirror.allow-unauthenticated=true, kubemirror.pass-through.mode",
        "127.0.0.1, kubemirror.allowed-hosts=*, kubemirror.allowed-hosts",
        "127.0.0.1, kubemirror.resources[0].metadata-only=true, kubemirror.pass-through.mode",
        "127.0.0.1, kubemirror.resources[0].keep-fields=spec, kubemirror.pass-through.mode",
        "127.0.0.1, kubemirror.resources[0].drop-fields=spec.a, kubemirror.pass-through.mode"
    })
    void identity_of_kubemirror_is_lent_to_local_clients_of_whole_mirrors_only(
            String address, String setting, String refused) throws UnknownHostException {
        server.setAddress(InetAddress.getByName(address));
        String[] pair = setting.split("=", -1);
        MirrorProperties properties =
                BoundProperties.of(Map.of("kubemirror.pass-through.mode", "own", pair[0], pair[1]));

        assertThat(catchThrowable(() -> ListenerCheck.check(server, properties)))
                .extracting(BoundProperties::mistake, STRING)
                .startsWith(refused + ": ");
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
    void tls_encrypts_the_api_port_but_not_the_management_port() throws Exception {
        TestCertificates own = TestCertificates.of("kubemirror", "localhost");
        try (var context =
                ApplicationLauncher.secure(
                        own, "kubemirror.resources[0].resource=pods", "server.address=0.0.0.0")) {
            assertThat(isPlain(context, "local.management.port", "/actuator/health/liveness"))
                    .isTrue();
            assertThat(isPlain(context, "local.server.port", "/livez")).isFalse();
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
