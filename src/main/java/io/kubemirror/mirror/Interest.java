package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.model.Change;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Selection;

/**
 * A condition by which changes and objects are looked up: one name or namespace, or values of a
 * label or field.
 *
 * <p>A selection is looked up by the narrowest of its {@linkplain #candidates candidates}. What
 * else it asks for is evaluated on what has been found.
 */
public sealed interface Interest {

    /** All objects. */
    record Everything() implements Interest {

        /** One for all subscriptions. */
        private static final List<Interest> ONLY = List.of(new Everything());
    }

    /**
     * Objects of one name.
     *
     * @param namespace their namespace, empty for all
     */
    record Named(String namespace, String name) implements Interest {}

    /** Objects of one namespace. */
    record Within(String namespace) implements Interest {}

    /** The number of values up to which a lookup of each is cheaper than a look at all objects. */
    int MAX_VALUES = 16;

    /** Objects that have a value of a label before or after the change. */
    record Labeled(String label, String value) implements Interest {}

    /**
     * Objects that have one of some values of a label before or after the change.
     *
     * @param values at least two and at most {@link #MAX_VALUES} values
     */
    record OneOf(String label, Set<String> values) implements Interest {}

    /**
     * Objects that have a value of a field before or after the change.
     *
     * @param value its value, which is not empty, as an absent field has that too
     *     (list-watch.md#fs-1)
     */
    record Having(String field, String value) implements Interest {}

    /**
     * Returns the interests that each include everything that can match a selection, at least one.
     * A name is the only one, as no other can be narrower.
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
                candidates.add(new Having(field, value));
            }
        }
        selection.labels().required().entrySet().stream()
                .filter(required -> required.getValue().size() <= MAX_VALUES)
                .map(required -> labeled(required.getKey(), required.getValue()))
                .forEach(candidates::add);
        if (!namespace.isEmpty()) {
            candidates.add(new Within(namespace));
        }
        return candidates.isEmpty() ? Everything.ONLY : candidates;
    }

    private static Interest labeled(String label, Set<String> values) {
        return values.size() == 1
                ? new Labeled(label, values.iterator().next())
                : new OneOf(label, values);
    }

    private static String namespace(Selection selection) {
        return selection.namespace().isEmpty()
                ? selection.fields().required("metadata.namespace").orElse("")
                : selection.namespace();
    }

    /**
     * Returns what a selection asks for in addition to one of its candidates: everything if that
     * includes nothing else, otherwise the selection itself.
     */
    default Selection remainder(Selection selection) {
        String namespace = namespace(selection);
        Optional<String> field = selection.fields().required("metadata.namespace");
        int known = namespace.isEmpty() || !field.equals(Optional.of(namespace)) ? 0 : 1;
        int shards = selection.shard().size();
        int terms = selection.labels().size() + selection.fields().size() + shards - known;
        boolean exact =
                switch (this) {
                    case Everything _, Within _ -> terms == 0;
                    case Named _ -> terms == 1;
                    case Labeled _, OneOf _, Having _ -> terms == 1 && namespace.isEmpty();
                };
        return exact ? Selection.everything() : selection;
    }

    /** Returns the interests that together include the same, each of them in one value. */
    default List<Interest> singles() {
        return switch (this) {
            case OneOf(String label, Set<String> values) ->
                    values.stream().<Interest>map(value -> new Labeled(label, value)).toList();
            case Everything _, Named _, Within _, Labeled _, Having _ -> List.of(this);
        };
    }

    /** Returns all interests in one value that include a change. */
    static Set<Interest> of(Change change) {
        Set<Interest> interests = new HashSet<>();
        add(change.latest(), interests);
        if (change instanceof Change.Modified modified) {
            add(modified.previous(), interests);
        }
        return interests;
    }

    /** Adds all interests in one value that include an object. */
    static void add(KubeObject object, Set<Interest> interests) {
        ObjectKey key = object.key();
        interests.add(new Everything());
        interests.add(new Named("", key.name()));
        interests.add(new Named(key.namespace(), key.name()));
        interests.add(new Within(key.namespace()));
        object.labels().forEach((label, value) -> interests.add(new Labeled(label, value)));
        object.fields().forEach((field, value) -> interests.add(new Having(field, value)));
    }
}
