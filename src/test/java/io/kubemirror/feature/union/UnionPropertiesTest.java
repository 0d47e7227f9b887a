package io.kubemirror.feature.union;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import module java.base;

import io.kubemirror.app.BoundProperties;
import io.kubemirror.app.MirrorDefinition;

import org.junit.jupiter.api.Test;

class UnionPropertiesTest {

    private final Map<String, String> settings = new HashMap<>();

    private void set(String name, String value) {
        settings.put("kubemirror." + name, value);
    }

    private List<MirrorDefinition> definitions() {
        return MirrorDefinition.all(BoundProperties.records(settings));
    }

    @Test
    void union_of_namespaces_is_shared_by_their_definitions() {
        set("resources[0].resource", "pods");
        set("resources[0].namespaces", "a,b");
        assertThat(definitions()).allMatch(definition -> definition.derived() == null);

        set("resources[0].union", "true");

        assertThat(definitions())
                .extracting(definition -> String.valueOf(definition.derived()))
                .containsExactly("pods/*", "pods/*");
        assertThat(definitions())
                .extracting(definition -> definition.scope().toString())
                .containsExactly("pods/a", "pods/b");
    }

    @Test
    void two_unions_of_one_resource_are_rejected() {
        set("resources[0].resource", "pods");
        set("resources[0].namespaces", "a,b");
        set("resources[0].union", "true");
        set("resources[1].resource", "pods");
        set("resources[1].namespaces", "c,d");
        set("resources[1].union", "true");

        assertThatThrownBy(this::definitions)
                .extracting("reason", STRING)
                .startsWith("pods/* is mirrored by kubemirror.resources[0] already");
    }

    @Test
    void union_of_proxied_reads_is_rejected() {
        set("resources[0].resource", "pods");
        set("resources[0].namespaces", "a,b");
        set("resources[0].union", "true");
        set("resources[0].reads", "verify");

        assertThatThrownBy(this::definitions)
                .extracting("reason", STRING)
                .startsWith("cannot be used with reads other than cache");
    }
}
