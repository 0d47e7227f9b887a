package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import module java.base;

import io.kubemirror.api.server.OriginGuard.Hosts;
import io.kubemirror.api.server.OriginGuard.Hosts.Reach;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

@ExtendWith(OutputCaptureExtension.class)
class ListenerConfigurationTest {

    private final Map<String, String> settings = new LinkedHashMap<>();
    private final ListenerConfiguration configuration = new ListenerConfiguration();
    private final ServerProperties server = new ServerProperties();

    private Hosts hosts() {
        return configuration.hosts(server, properties());
    }

    private MirrorProperties properties() {
        return BoundProperties.of(settings);
    }

    @Test
    void reach_depends_on_address_tls_and_authentication() {
        server.setAddress(InetAddress.ofLiteral("127.0.0.1"));
        assertThat(hosts().reach()).isEqualTo(Reach.LOOPBACK);
        server.setAddress(InetAddress.ofLiteral("0.0.0.0"));
        settings.put("kubemirror.allow-unauthenticated", "true");
        assertThat(hosts().reach()).isEqualTo(Reach.NETWORK);
        server.setSsl(new Ssl());
        assertThat(hosts().reach()).isEqualTo(Reach.ANYWHERE);
        server.setSsl(null);
        settings.put("kubemirror.access.authentication", "token-review");
        assertThat(hosts().reach()).isEqualTo(Reach.ANYWHERE);
    }

    @Test
    void allowed_hosts_are_converted_to_lower_case() {
        server.setAddress(InetAddress.ofLiteral("127.0.0.1"));
        settings.put("kubemirror.allowed-hosts", "Mirror.Shop,*.example.com,*");

        assertThat(hosts().further()).containsExactly("mirror.shop", "*.example.com", "*");
    }

    @ParameterizedTest
    @ValueSource(strings = {"secrets", "secrets.", "secrets.v1."})
    void secrets_require_allow_secrets(String name) {
        settings.put("kubemirror.resources[0].resource", "pods");
        settings.put("kubemirror.resources[1].resource", name);
        settings.put("kubemirror.resources[1].metadata-only", "true");
        assertThatThrownBy(() -> MirrorDefinition.all(properties()))
                .extracting(BoundProperties::mistake, STRING)
                .startsWith("kubemirror.resources[1].resource: all clients of kubemirror");

        settings.put("kubemirror.allow-secrets", "true");
        assertThat(MirrorDefinition.all(properties())).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"secretstores.example.com", "secrets.example.com"})
    void custom_resource_named_like_secrets_is_allowed(String name) {
        settings.put("kubemirror.resources[0].resource", name);

        assertThat(MirrorDefinition.all(properties())).hasSize(1);
    }

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

        Throwable refusal = catchThrowable(() -> ListenerConfiguration.check(server, properties));

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

        MirrorProperties properties =
                BoundProperties.of(
                        authenticated
                                ? Map.of("kubemirror.access.authentication", "token-review")
                                : Map.of());

        Throwable refused = catchThrowable(() -> ListenerConfiguration.check(server, properties));

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

        assertThat(catchThrowable(() -> ListenerConfiguration.check(server, properties)))
                .extracting(BoundProperties::mistake, STRING)
                .startsWith(refused + ": ");
    }

    @Test
    void missing_tls_or_authentication_is_logged(CapturedOutput output) {
        settings.put("kubemirror.access.authentication", "token-review");
        hosts();
        assertThat(output).contains("does not encrypt tokens and objects");

        server.setSsl(new Ssl());
        settings.clear();
        hosts();
        assertThat(output).contains("Every client that can reach the address has read access");
    }
}
