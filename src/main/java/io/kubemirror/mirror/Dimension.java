package io.kubemirror.mirror;

import io.kubemirror.model.KubeObject;

import org.jspecify.annotations.Nullable;

/** A property by which an index finds objects without examining all of them. */
sealed interface Dimension {

    /** Returns the value that an object has in this dimension, or null if it has none. */
    @Nullable String valueOf(KubeObject object);

    /**
     * A label.
     *
     * @param label the key of the label
     */
    record Label(String label) implements Dimension {
        @Override
        public @Nullable String valueOf(KubeObject object) {
            return object.labels().get(label);
        }
    }

    /**
     * A selectable field.
     *
     * @param field the name of the field
     */
    record Field(String field) implements Dimension {
        @Override
        public @Nullable String valueOf(KubeObject object) {
            return object.fields().get(field);
        }
    }
}
