package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.model.Change;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Selection;

/**
 * A condition by which changes and objects are looked up: one name or namespace, or one value of a
 * label or field. What else a selection asks for is evaluated on what has been found.
 */
public sealed interface Interest {

    /** All objects. */
    record Everything() implements Interest {}

    /**
     * Objects of one name.
     *
     * @param namespace their namespace, empty for all
     */
    record Named(String namespace, String name) implements Interest {}

    /** Objects of one namespace. */
    record Within(String namespace) implements Interest {}

    /**
     * Objects that have a value of a label or field before or after the change.
     *
     * @param isLabel whether it is a label, not a field
     * @param value its value; that of a field is not empty, as an absent one has that too
     *     (list-watch.md#fs-1)
     */
    record Valued(boolean isLabel, String name, String value) implements Interest {}

    /**
     * Returns the interests that each include everything that can match a selection, at least one,
     * in the order in which they are likely to be narrow.
     */
    static List<Interest> candidates(Selection selection) {
        FieldSelector fields = selection.fields();
        String namespace = namespace(selection);
        Optional<String> name = fields.required("metadata.name");
        if (name.isPresent()) {
            return List.of(new Named(namespace, name.get()));
        }
        List<Interest> candidates = new ArrayList<>();
        for (String field : fields.fields()) {
            String value = fields.required(field).orElse("");
            if (!value.isEmpty() && !field.startsWith("metadata.")) {
                candidates.add(new Valued(false, field, value));
            }
        }
        selection
                .labels()
                .required()
                .forEach((label, value) -> candidates.add(new Valued(true, label, value)));
        candidates.add(namespace.isEmpty() ? new Everything() : new Within(namespace));
        return candidates;
    }

    private static String namespace(Selection selection) {
        return selection.namespace().isEmpty()
                ? selection.fields().required("metadata.namespace").orElse("")
                : selection.namespace();
    }

    /** Returns the interest by which changes of a selection are looked up. */
    static Interest of(Selection selection) {
        return candidates(selection).getFirst();
    }

    /** Returns all interests that include a change. */
    static Set<Interest> of(Change change) {
        Set<Interest> interests = new HashSet<>();
        add(change.latest(), interests);
        if (change instanceof Change.Modified modified) {
            add(modified.previous(), interests);
        }
        return interests;
    }

    private static void add(KubeObject object, Set<Interest> interests) {
        ObjectKey key = object.key();
        interests.add(new Everything());
        interests.add(new Named("", key.name()));
        interests.add(new Named(key.namespace(), key.name()));
        interests.add(new Within(key.namespace()));
        object.labels().forEach((label, value) -> interests.add(new Valued(true, label, value)));
        object.fields().forEach((field, value) -> interests.add(new Valued(false, field, value)));
    }
}
