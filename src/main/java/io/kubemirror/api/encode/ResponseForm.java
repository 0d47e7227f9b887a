package io.kubemirror.api.encode;

import io.kubemirror.api.http.Representation;
import io.kubemirror.api.http.ResponseShape;
import io.kubemirror.model.Extent;
import io.kubemirror.model.ResourceType;

/**
 * The form of a response and the type of its objects.
 *
 * @param type the type of the objects
 * @param extent how much of each object is mirrored
 * @param form the negotiated form
 * @param includeObject the parameter of that name: what the rows of a table contain of their
 *     objects (list-watch.md#ne-24 to #ne-26)
 * @param indented whether documents are indented (list-watch.md#ne-12)
 */
public record ResponseForm(
        ResourceType type,
        Extent extent,
        Representation form,
        String includeObject,
        boolean indented) {

    boolean isTable() {
        return form.shape() == ResponseShape.TABLE;
    }

    /** Returns everything about the form that affects the bytes of a document. */
    String tag() {
        return String.join(
                "/",
                type.apiVersion(),
                type.kind(),
                extent.name(),
                form.shape().name(),
                form.version(),
                form.dropsManagedFields() ? "dropped" : "",
                indented ? "indented" : "compact");
    }
}
