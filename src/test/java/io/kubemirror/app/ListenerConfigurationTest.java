package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import module java.base;

import io.kubemirror.api.server.OriginGuard.Hosts;
import io.kubemirror.api.server.OriginGuard.Hosts.Reach;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

class ListenerConfigurationTest {

    private final Map<String, String> settings = new LinkedHashMap<>();
    private final ListenerConfiguration configuration = new ListenerConfiguration();
    private final ServerProperties server = new ServerProperties();

    @Test
    void reach_depends_on_address_tls_and_authentication() {
        server.setAddress(InetAddress.ofLiteral("127.0.0.1"));
        assertThat(hosts().reach()).isEqualTo(Reach.LOOPBACK);
        server.setAddress(InetAddress.ofLiteral("0.0.0.0"));
        assertThat(hosts().reach()).isEqualTo(Reach.NETWORK);
        server.setSsl(new Ssl());
        assertThat(hosts().reach()).isEqualTo(Reach.ANYWHERE);
        server.setSsl(null);
        settings.put("kubemirror.access.authentication", "token-review");
        assertThat(hosts().reach()).isEqualTo(Reach.ANYWHERE);
    }

    @Test
    void allowed_hosts_are_converted_to_lower_case() {
        settings.put("kubemirror.allowed-hosts", "Mirror.Shop,*.example.com,*");

        assertThat(hosts().further()).containsExactly("mirror.shop", "*.example.com", "*");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://a", "a:80", "a/b", "*a", "a.*", " ", "-a"})
    void invalid_allowed_host_is_rejected(String name) {
        settings.put("kubemirror.allowed-hosts[0]", "a");
        settings.put("kubemirror.allowed-hosts[1]", name);

        assertThatThrownBy(this::hosts)
                .extracting(BoundProperties::mistake, STRING)
                .startsWith("kubemirror.allowed-hosts: ");
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

    private Hosts hosts() {
        return configuration.hosts(server, BoundProperties.of(settings));
    }

    private MirrorProperties properties() {
        return BoundProperties.of(settings);
    }
}
