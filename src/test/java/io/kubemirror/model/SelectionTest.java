package io.kubemirror.model;

import static io.kubemirror.testing.KubeObjects.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import module java.base;

import io.kubemirror.testing.KubeObjects;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SelectionTest {

    private static final Revision CHANGED = new Revision("7");
    private static final KubeObject INSIDE = pod("a/x", "5", "v");
    private static final KubeObject STILL_INSIDE = pod("a/x", "7", "v");
    private static final KubeObject OUTSIDE = pod("a/x", "5", "w");
    private static final KubeObject STILL_OUTSIDE = pod("a/x", "7", "w");

    private static KubeObject pod(String key, String revision, String app) {
        return ModelSamples.pod(
                key, revision, Map.of("app", app), Map.of("spec.nodeName", "n-" + app));
    }

    private static Selection byLabel() {
        return selection("", "app=v", "");
    }

    @Test
    void object_must_match_namespace_labels_and_fields() {
        assertThat(selection("a", "app=v", "spec.nodeName=n-v").matches(INSIDE)).isTrue();
        assertThat(selection("b", "app=v", "spec.nodeName=n-v").matches(INSIDE)).isFalse();
        assertThat(selection("a", "app=w", "spec.nodeName=n-v").matches(INSIDE)).isFalse();
        assertThat(selection("a", "app=v", "spec.nodeName=n-w").matches(INSIDE)).isFalse();
        assertThat(Selection.everything().matches(INSIDE)).isTrue();
    }

    @Test
    void change_concerns_a_selection_that_its_object_matches_before_or_after() {
        Selection byLabel = byLabel();

        assertThat(byLabel.matches(new Change.Added(CHANGED, INSIDE))).isTrue();
        assertThat(byLabel.matches(new Change.Added(CHANGED, OUTSIDE))).isFalse();
        assertThat(byLabel.matches(new Change.Modified(CHANGED, INSIDE, STILL_OUTSIDE))).isTrue();
        assertThat(byLabel.matches(new Change.Modified(CHANGED, OUTSIDE, STILL_INSIDE))).isTrue();
        assertThat(byLabel.matches(new Change.Modified(CHANGED, OUTSIDE, STILL_OUTSIDE))).isFalse();
    }

    @ParameterizedTest
    @MethodSource("changesAndViews")
    void client_sees_a_change_by_whether_the_object_matches_before_and_after(
            Change change, @Nullable Change view) {
        assertThat(byLabel().view(change)).isEqualTo(Optional.ofNullable(view));
    }

    static Stream<Arguments> changesAndViews() {
        Change added = new Change.Added(CHANGED, STILL_INSIDE);
        Change modified = new Change.Modified(CHANGED, INSIDE, STILL_INSIDE);
        Change deleted = new Change.Deleted(CHANGED, INSIDE);
        return Stream.of(
                arguments(added, added),
                arguments(modified, modified),
                arguments(deleted, deleted),
                arguments(new Change.Modified(CHANGED, OUTSIDE, STILL_INSIDE), added),
                arguments(new Change.Modified(CHANGED, INSIDE, STILL_OUTSIDE), deleted),
                arguments(new Change.Modified(CHANGED, OUTSIDE, STILL_OUTSIDE), null),
                arguments(new Change.Added(CHANGED, STILL_OUTSIDE), null),
                arguments(new Change.Deleted(CHANGED, OUTSIDE), null));
    }

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
