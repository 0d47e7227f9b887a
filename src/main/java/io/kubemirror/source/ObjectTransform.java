package io.kubemirror.source;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.SelectableField;

import javax.crypto.SecretKey;

/**
 * Changes arriving objects before a mirror has them, such as by leaving out members. Immutable, and
 * equal to another one if it does the same.
 */
public interface ObjectTransform {

    /** Changes nothing. */
    ObjectTransform NONE =
            new ObjectTransform() {
                @Override
                public KubeObject apply(KubeObject object) {
                    return object;
                }

                @Override
                public SelectableField selectable(SelectableField field) {
                    return field;
                }

                @Override
                public boolean hidesUpdates() {
                    return false;
                }

                @Override
                public String text() {
                    return "";
                }

                @Override
                public String identity() {
                    return "";
                }
            };

    /** Returns what a mirror has of an object: the same state with another JSON. */
    KubeObject apply(KubeObject object);

    /** Returns a field without the sources that selectors must not show. */
    SelectableField selectable(SelectableField field);

    /** Returns whether an update that changes nothing but the revision is hidden from clients. */
    boolean hidesUpdates();

    /**
     * Returns the same transform with a secret, from which it may derive keys.
     *
     * @param secret the same as long as the objects are kept
     */
    default ObjectTransform keyed(SecretKey secret) {
        return this;
    }

    /** Returns what differs from whole objects, in characters that a header can have. */
    String text();

    /** Returns a text that is the same if the results are, and reveals no secret. */
    String identity();
}
