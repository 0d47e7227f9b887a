package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testing.KubeObjects;

import org.junit.jupiter.api.Test;

class ScopeTest {

    @Test
    void scope_name_shows_resource_namespace_and_selectors() {
        assertThat(scope("", "", "")).hasToString("pods");
        assertThat(scope("kube-system", "", "")).hasToString("pods/kube-system");
        assertThat(scope("a", "app=v", "")).hasToString("pods/a[app=v;]");
        assertThat(scope("", "app", "spec.nodeName=n")).hasToString("pods[app;spec.nodeName=n]");
    }

    @Test
    void metrics_of_a_scope_have_its_namespace_and_selectors_as_tags() {
        assertThat(scope("a", "app", "spec.nodeName=n").tags())
                .containsExactly(
                        "resource",
                        "pods",
                        "resource_namespace",
                        "a",
                        "selector",
                        "app;spec.nodeName=n");
        assertThat(scope("", "", "spec.nodeName=n").tags())
                .containsExactly(
                        "resource",
                        "pods",
                        "resource_namespace",
                        "",
                        "selector",
                        "spec.nodeName=n");
    }

    @Test
    void equivalent_scopes_are_equal() {
        assertThat(scope("a", "app=v,b", "")).isEqualTo(scope("a", "b, app in (v)", ","));
        assertThat(scope("a", "", "")).isNotEqualTo(scope("b", "", ""));
    }

    private static Scope scope(String namespace, String labels, String fields) {
        return new Scope(
                new ResourceName("pods"), KubeObjects.selection(namespace, labels, fields));
    }
}
