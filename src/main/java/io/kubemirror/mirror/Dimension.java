package io.kubemirror.mirror;

import io.kubemirror.model.KubeObject;

import org.jspecify.annotations.Nullable;

/** What objects can be found by without a look at all of them. */
sealed interface Dimension {

    /** The value that an object has there, null if it has none. */
    @Nullable String valueOf(KubeObject object);

    /**
     * A label.
     *
     * @param label its key
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
     * @param field its name
     */
    record Field(String field) implements Dimension {
        @Override
        public @Nullable String valueOf(KubeObject object) {
            return object.fields().get(field);
        }
    }
}
