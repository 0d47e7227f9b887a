package io.kubemirror.mirror;

import io.kubemirror.model.Change;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Selection;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which changes a reader has to be woken for: all that its selection can be about, and as few
 * others as a look at one name, namespace, label or field can tell.
 *
 * <p>Equal interests sleep together, so that what a change costs depends on how many different
 * things it is about (a dozen) and not on how many sleep. Rejected: to match every sleeping
 * reader's selection against every change, as the API server's watch cache does for all but a few
 * indexed fields.
 */
public sealed interface Interest {

    /** Everything. */
    record Everything() implements Interest {}

    /**
     * Objects of one name.
     *
     * @param namespace their namespace, empty for all
     * @param name the name
     */
    record Named(String namespace, String name) implements Interest {}

    /**
     * Objects of one namespace.
     *
     * @param namespace the namespace
     */
    record Within(String namespace) implements Interest {}

    /**
     * Objects with, before or after the change, one value of a label.
     *
     * @param label the label
     * @param value its value
     */
    record Labeled(String label, String value) implements Interest {}

    /**
     * Objects with, before or after the change, one value of a field.
     *
     * @param field the field
     * @param value its value, which is not empty, as an absent field has that too
     *     (list-watch.md#fs-1)
     */
    record Having(String field, String value) implements Interest {}

    /** The narrowest interest that misses nothing of a selection. */
    static Interest of(Selection selection) {
        FieldSelector fields = selection.fields();
        String namespace =
                selection.namespace().isEmpty()
                        ? fields.required("metadata.namespace").orElse("")
                        : selection.namespace();
        return fields.required("metadata.name")
                .<Interest>map(name -> new Named(namespace, name))
                .or(() -> having(fields))
                .or(() -> labeled(selection.labels().pinned()))
                .orElseGet(() -> namespace.isEmpty() ? new Everything() : new Within(namespace));
    }

    private static Optional<Interest> having(FieldSelector fields) {
        return fields.fields().stream()
                .filter(field -> !field.startsWith("metadata."))
                .flatMap(field -> having(field, fields).stream())
                .findFirst();
    }

    private static Optional<Interest> having(String field, FieldSelector fields) {
        return fields.required(field)
                .filter(value -> !value.isEmpty())
                .map(value -> new Having(field, value));
    }

    private static Optional<Interest> labeled(Map<String, String> pinned) {
        return pinned.entrySet().stream()
                .findFirst()
                .map(label -> new Labeled(label.getKey(), label.getValue()));
    }

    /** All that a change is about, but for {@link Everything}. */
    static Set<Interest> of(Change change) {
        Set<Interest> interests = new HashSet<>();
        switch (change) {
            case Change.Added added -> add(added.object(), interests);
            case Change.Modified modified -> {
                add(modified.previous(), interests);
                add(modified.object(), interests);
            }
            case Change.Deleted deleted -> add(deleted.previous(), interests);
        }
        return interests;
    }

    private static void add(KubeObject object, Set<Interest> interests) {
        ObjectKey key = object.key();
        interests.add(new Named("", key.name()));
        interests.add(new Named(key.namespace(), key.name()));
        interests.add(new Within(key.namespace()));
        object.labels().forEach((label, value) -> interests.add(new Labeled(label, value)));
        object.fields().forEach((field, value) -> interests.add(new Having(field, value)));
    }
}
