package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.kubemirror.model.ResourceName.Match;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResourceNameTest {

    @ParameterizedTest
    @CsvSource({
        "pods, '', v1, pods, GROUP",
        "pods, metrics.k8s.io, v1beta1, pods, GROUP",
        "pods, '', v1, nodes, NONE",
        "pod, '', v1, pods, NONE",
        "pods., '', v1, pods, GROUP",
        "pods., metrics.k8s.io, v1beta1, pods, NONE",
        "pods.v1., '', v1, pods, VERSION",
        "pods.v2., '', v1, pods, NONE",
        "pods.v1, '', v1, pods, NONE",
        "deployments.apps, apps, v1, deployments, GROUP",
        "deployments.v1.apps, apps, v1, deployments, VERSION",
        "deployments.v1beta1.apps, apps, v1, deployments, NONE",
        "deployments.extensions, apps, v1, deployments, NONE",
        "events.events.k8s.io, events.k8s.io, v1, events, GROUP",
        "events.events.k8s.io, '', v1, events, NONE",
        "widgets.v1.example.com, example.com, v1, widgets, VERSION",
        "widgets.v1.example.com, v1.example.com, v2, widgets, GROUP",
        "widgets.v1.example.com, example.com, v2, widgets, NONE",
        "widgets.v1.example.com, example.com, '', widgets, GROUP",
        "widgets.v1beta2.example.com, example.com, '', widgets, GROUP",
        "widgets.example.com, com, '', widgets, NONE",
        "pods.v1., '', '', pods, GROUP",
    })
    void resource_name_matches_like_kubectl(
            String name, String group, String version, String plural, Match match) {
        assertThat(new ResourceName(name).match(group, version, plural)).isEqualTo(match);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", ".", ".apps", "a..b", "pods..", "Pods", "a/b", "pods ", "-a", "a-", "a_b"
            })
    void invalid_resource_name_is_rejected(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ResourceName(text))
                .withMessageStartingWith("'" + text + "' is not a resource");
    }

    @Test
    void custom_group_is_not_built_in_even_with_a_k8s_io_suffix() {
        assertThat(ModelSamples.namespaced("gateway.networking.k8s.io", "routes").builtIn())
                .isFalse();
        assertThat(ModelSamples.namespaced("example.com", "widgets").builtIn()).isFalse();
    }
}
