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
 * The changes that a subscription is signaled for: all that can match its selection, and as few
 * others as one name, namespace, label, or field can rule out.
 *
 * <p>Subscriptions with equal interests share one set. The cost of a change therefore depends on
 * the number of interests that it matches (about a dozen) and not on the number of waiting
 * subscriptions. Rejected: matching the selection of every waiting subscription against every
 * change, as the API server's watch cache does for all but a few indexed fields.
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

    /** Objects that have a value of a label before or after the change. */
    record Labeled(String label, String value) implements Interest {}

    /**
     * Objects that have a value of a field before or after the change.
     *
     * @param value its value, which is not empty, as an absent field has that too
     *     (list-watch.md#fs-1)
     */
    record Having(String field, String value) implements Interest {}

    /** Returns the narrowest interest that includes every change that can match a selection. */
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
        for (String field : fields.fields()) {
            String value = fields.required(field).orElse("");
            if (!value.isEmpty() && !field.startsWith("metadata.")) {
                return Optional.of(new Having(field, value));
            }
        }
        return Optional.empty();
    }

    private static Optional<Interest> labeled(Map<String, String> pinned) {
        return pinned.entrySet().stream()
                .findFirst()
                .map(label -> new Labeled(label.getKey(), label.getValue()));
    }

    /** Returns all interests that a change matches, except {@link Everything}. */
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
        interests.add(new Named("", key.name()));
        interests.add(new Named(key.namespace(), key.name()));
        interests.add(new Within(key.namespace()));
        object.labels().forEach((label, value) -> interests.add(new Labeled(label, value)));
        object.fields().forEach((field, value) -> interests.add(new Having(field, value)));
    }
}
