package io.kubemirror.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.server.OriginGuard.Hosts;
import io.kubemirror.api.server.OriginGuard.Hosts.Reach;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which names a client may use for the server. */
class HostsTest {

    /** A name of loopback is accepted for every reach. */
    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/api/server/hosts.csv",
            delimiter = '|',
            quoteCharacter = '`',
            ignoreLeadingAndTrailingWhitespace = false)
    void name_is_accepted_within_the_reach_of_the_server(
            String host, boolean loopback, boolean network) {
        assertThat(ApiFixture.LOOPBACK.include(host)).isEqualTo(loopback);
        assertThat(new Hosts(Reach.NETWORK, List.of()).include(host)).isEqualTo(network);
        assertThat(new Hosts(Reach.ANYWHERE, List.of()).include(host)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"mirror.shop", "mirror.shop:80", "A.Example.com", "b.a.example.com"})
    void configured_names_and_suffixes_are_accepted(String host) {
        Hosts hosts = new Hosts(Reach.LOOPBACK, List.of("mirror.shop", "*.example.com"));

        assertThat(hosts.include(host)).isTrue();
        assertThat(ApiFixture.LOOPBACK.include(host)).isFalse();
    }
}
