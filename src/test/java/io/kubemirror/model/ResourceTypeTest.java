package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ResourceTypeTest {

    @Test
    void type_outside_core_has_its_group_in_names_and_paths() {
        ResourceType leases = ModelSamples.namespaced("coordination.k8s.io", "leases");

        assertThat(leases.apiVersion()).isEqualTo("coordination.k8s.io/v1");
        assertThat(leases.groupResource()).isEqualTo("leases.coordination.k8s.io");
        assertThat(leases.collectionPath()).isEqualTo("/apis/coordination.k8s.io/v1/leases");
        assertThat(leases.collectionPath("a"))
                .isEqualTo("/apis/coordination.k8s.io/v1/namespaces/a/leases");
        assertThat(leases.builtIn()).isTrue();
    }

    @Test
    void custom_group_is_not_built_in_even_with_a_k8s_io_suffix() {
        assertThat(ModelSamples.namespaced("gateway.networking.k8s.io", "routes").builtIn())
                .isFalse();
        assertThat(ModelSamples.namespaced("example.com", "widgets").builtIn()).isFalse();
    }
}
