package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ResourceTypeTest {

    @Test
    void custom_group_is_not_built_in_even_with_a_k8s_io_suffix() {
        assertThat(ModelSamples.namespaced("gateway.networking.k8s.io", "routes").builtIn())
                .isFalse();
        assertThat(ModelSamples.namespaced("example.com", "widgets").builtIn()).isFalse();
    }
}
