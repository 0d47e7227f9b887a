package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Map;

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

    private static Selection selection(String namespace, String labels, String fields)
            throws SelectorException {
        return new Selection(namespace, LabelSelector.parse(labels), FieldSelector.parse(fields));
    }

    private static Selection byLabel() throws SelectorException {
        return selection("", "app=v", "");
    }

    @Test
    void an_object_must_meet_namespace_labels_and_fields() throws SelectorException {
        assertThat(selection("a", "app=v", "spec.nodeName=n-v").matches(INSIDE)).isTrue();
        assertThat(selection("b", "app=v", "spec.nodeName=n-v").matches(INSIDE)).isFalse();
        assertThat(selection("a", "app=w", "spec.nodeName=n-v").matches(INSIDE)).isFalse();
        assertThat(selection("a", "app=v", "spec.nodeName=n-w").matches(INSIDE)).isFalse();
        assertThat(Selection.everything().matches(INSIDE)).isTrue();
    }

    @Test
    void an_object_that_comes_into_view_is_added() throws SelectorException {
        Change added = new Change.Added(CHANGED, STILL_INSIDE);

        assertThat(byLabel().view(added)).containsSame(added);
        assertThat(byLabel().view(new Change.Modified(CHANGED, OUTSIDE, STILL_INSIDE)))
                .contains(new Change.Added(CHANGED, STILL_INSIDE));
    }

    @Test
    void an_object_that_stays_in_view_is_modified() throws SelectorException {
        Change modified = new Change.Modified(CHANGED, INSIDE, STILL_INSIDE);

        assertThat(byLabel().view(modified)).containsSame(modified);
    }

    @Test
    void an_object_that_leaves_the_view_is_deleted_in_its_previous_state()
            throws SelectorException {
        assertThat(byLabel().view(new Change.Modified(CHANGED, INSIDE, STILL_OUTSIDE)))
                .contains(new Change.Deleted(CHANGED, INSIDE));
    }

    @Test
    void a_deleted_object_in_view_is_deleted() throws SelectorException {
        Change deleted = new Change.Deleted(CHANGED, INSIDE);

        assertThat(byLabel().view(deleted)).containsSame(deleted);
    }

    @Test
    void what_was_and_stays_out_of_view_is_nothing() throws SelectorException {
        assertThat(byLabel().view(new Change.Added(CHANGED, STILL_OUTSIDE))).isEmpty();
        assertThat(byLabel().view(new Change.Modified(CHANGED, OUTSIDE, STILL_OUTSIDE))).isEmpty();
        assertThat(byLabel().view(new Change.Deleted(CHANGED, OUTSIDE))).isEmpty();
    }

    @Test
    void an_object_enters_and_leaves_by_its_fields_too() throws SelectorException {
        Selection byField = selection("", "", "spec.nodeName=n-v");

        assertThat(byField.view(new Change.Modified(CHANGED, OUTSIDE, STILL_INSIDE)))
                .contains(new Change.Added(CHANGED, STILL_INSIDE));
        assertThat(byField.view(new Change.Modified(CHANGED, INSIDE, STILL_OUTSIDE)))
                .contains(new Change.Deleted(CHANGED, INSIDE));
    }

    @Test
    void a_change_is_about_the_object_that_it_changes() {
        ObjectKey key = new ObjectKey("a/x");

        assertThat(new Change.Added(CHANGED, INSIDE).key()).isEqualTo(key);
        assertThat(new Change.Modified(CHANGED, OUTSIDE, INSIDE).key()).isEqualTo(key);
        assertThat(new Change.Deleted(CHANGED, INSIDE).key()).isEqualTo(key);
    }

    @Test
    void the_whole_collection_leaves_changes_as_they_are() {
        Change change = new Change.Modified(CHANGED, INSIDE, STILL_OUTSIDE);

        assertThat(Selection.everything().view(change)).containsSame(change);
    }
}
