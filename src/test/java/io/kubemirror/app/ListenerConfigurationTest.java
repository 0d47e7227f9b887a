package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import module java.base;

import io.kubemirror.api.server.OriginGuard.Hosts;
import io.kubemirror.api.server.OriginGuard.Hosts.Reach;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;
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
    @CsvFileSource(resources = "/io/kubemirror/app/listeners.csv", delimiter = '|')
    void listener_is_refused_that_would_let_others_do_more_than_they_may(
            @Nullable String address,
            @Nullable Boolean tls,
            Ssl.@Nullable ClientAuth asked,
            @Nullable String properties,
            @Nullable String refused)
            throws UnknownHostException {
        server.setAddress(address == null ? null : InetAddress.getByName(address));
        if (tls != null) {
            Ssl ssl = new Ssl();
            ssl.setEnabled(tls);
            ssl.setClientAuth(asked);
            server.setSsl(ssl);
        }
        if (properties != null) {
            for (String property : properties.split(" ", -1)) {
                String[] pair = property.split("=", 2);
                settings.put(pair[0], pair[1]);
            }
        }

        Throwable refusal = catchThrowable(() -> ListenerConfiguration.check(server, properties()));

        assertThat(refusal == null ? null : BoundProperties.mistake(refusal).split(": ", 2)[0])
                .isEqualTo(refused);
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
