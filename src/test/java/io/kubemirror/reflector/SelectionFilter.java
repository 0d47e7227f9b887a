package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.KubeObjects;

/**
 * A part of a collection in two forms: as a selection for kubemirror, and as a plain predicate to
 * check the results with.
 *
 * @param selection what is asked for
 * @param holds what is meant
 */
record SelectionFilter(Selection selection, Predicate<KubeObject> holds) {

    /** The whole collection. */
    static final SelectionFilter NONE = new SelectionFilter(Selection.everything(), _ -> true);

    private static final SelectionFilter NAMESPACE =
            filter("a", "", "", object -> object.key().path().startsWith("a/"));

    private static final SelectionFilter LABEL =
            filter("", "app=v", "", object -> "v".equals(object.labels().get("app")));

    /** What a mirror may be restricted to; mostly nothing. */
    static final List<SelectionFilter> SCOPES = List.of(NONE, NONE, NONE, NONE, NAMESPACE, LABEL);

    /** What local clients ask for. */
    static final List<SelectionFilter> CLIENTS =
            List.of(
                    NONE,
                    NONE,
                    NAMESPACE,
                    LABEL,
                    filter("", "app!=v", "", object -> !"v".equals(object.labels().get("app"))),
                    filter("", "", "status.phase=Failed", SelectionFilter::isFailed),
                    filter(
                            "",
                            "!app",
                            "status.phase!=Failed",
                            object -> !object.labels().containsKey("app") && !isFailed(object)),
                    filter(
                            "",
                            "",
                            "metadata.name=1",
                            object -> object.key().path().endsWith("/1")));

    private static boolean isFailed(KubeObject object) {
        return "Failed".equals(object.fields().get("status.phase"));
    }

    private static SelectionFilter filter(
            String namespace, String labels, String fields, Predicate<KubeObject> holds) {
        return new SelectionFilter(KubeObjects.selection(namespace, labels, fields), holds);
    }

    /** Returns the objects that match, in the same order. */
    List<KubeObject> of(Collection<KubeObject> objects) {
        List<KubeObject> part = new ArrayList<>(objects.size());
        for (KubeObject object : objects) {
            if (holds.test(object)) {
                part.add(object);
            }
        }
        return part;
    }

    @Override
    public String toString() {
        return "'%s' '%s' '%s'"
                .formatted(
                        selection.namespace(),
                        selection.labels().text(),
                        selection.fields().text());
    }
}
