package io.kubemirror.app.config;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.BoundProperties;

import org.junit.jupiter.api.Test;

/** What operators see of the configuration. */
class ConfiguredValuesTest {

    @Test
    void settings_contain_no_credentials_of_etcd() {
        Map<String, String> settings =
                ConfiguredValues.of(
                        BoundProperties.records(
                                Map.of(
                                        "kubemirror.resources[0].resource", "pods",
                                        "kubemirror.upstream.etcd.endpoints",
                                                "https://127.0.0.1:2379",
                                        "kubemirror.upstream.etcd.user", "reader-of-etcd",
                                        "kubemirror.upstream.etcd.password", "secret-of-etcd",
                                        "kubemirror.upstream.etcd.acknowledge-no-authorization",
                                                "true")));

        assertThat(settings)
                .containsEntry("kubemirror.upstream.etcd.endpoints", "https://127.0.0.1:2379");
        assertThat(settings.toString()).doesNotContain("reader-of-etcd", "secret-of-etcd");
    }
}
