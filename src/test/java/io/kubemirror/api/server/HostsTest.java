package io.kubemirror.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.server.OriginGuard.Hosts;
import io.kubemirror.api.server.OriginGuard.Hosts.Reach;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "localhost:8001",
                "LocalHost:1",
                "localhost.",
                "localhost.:8001",
                "127.0.0.1",
                "127.0.0.1:8001",
                "127.1.2.3:8001",
                "[::1]",
                "[::1]:8001",
                "[0:0:0:0:0:0:0:1]:8001"
            })
    void loopback_names_are_accepted_for_every_reach(String host) {
        for (Reach reach : Reach.values()) {
            assertThat(new Hosts(reach, List.of()).include(host)).as(reach.name()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":8001",
                "example.com",
                "example.com:8001",
                "localhost.example.com",
                "127.0.0.1.example.com",
                "127.0.0.1.nip.io:8001",
                "localhost@example.com",
                "user@localhost",
                "0.0.0.0:8001",
                "10.0.0.1",
                "[::]:8001",
                "[fe80::1]",
                "mirror",
                "mirror.shop.svc",
                "a:b:c",
                "[::1",
                "127.0.0.1 "
            })
    void other_names_are_rejected_on_loopback(String host) {
        assertThat(ApiFixture.LOOPBACK.include(host)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.1",
                "10.0.0.1:8001",
                "[fe80::1]:8001",
                "mirror",
                "mirror:8001",
                "mirror.shop.svc",
                "mirror.shop.svc:8001",
                "mirror.shop.svc.cluster.local.:8001"
            })
    void unregistrable_names_are_accepted_on_the_network(String host) {
        assertThat(new Hosts(Reach.NETWORK, List.of()).include(host)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "mirror.shop",
                ".com",
                "example.com:8001",
                "svc.example.com",
                "10.0.0.1.x"
            })
    void registrable_names_are_rejected_on_the_network(String host) {
        assertThat(new Hosts(Reach.NETWORK, List.of()).include(host)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"mirror.shop", "mirror.shop:80", "A.Example.com", "b.a.example.com"})
    void configured_names_and_suffixes_are_accepted(String host) {
        Hosts hosts = new Hosts(Reach.LOOPBACK, List.of("mirror.shop", "*.example.com"));

        assertThat(hosts.include(host)).isTrue();
        assertThat(ApiFixture.LOOPBACK.include(host)).isFalse();
    }
}
