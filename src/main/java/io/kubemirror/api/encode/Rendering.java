package io.kubemirror.api.encode;

import io.kubemirror.api.encode.DocumentEncoder.ResponseForm;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Representation.ResponseShape;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;

/**
 * A shape of answers, which clients ask for by the parameter {@code as} of a media type. The API
 * finds all beans of this type, besides the shapes of its own.
 */
public interface Rendering {

    /** Returns what clients ask for. */
    ResponseShape shape();

    /** Returns whether the shape of a type is that of the API server. */
    boolean isNative(ResourceType type);

    /** Returns whether an answer depends on the time, so that it has no tag, and is not shared. */
    boolean isTimed();

    /**
     * Returns the document of a list.
     *
     * @param kind the kind of lists of whole objects
     */
    JsonDocument list(ResponseForm wanted, String kind, ListPage page) throws Rejection;

    /** Returns the document of one object, which has the same bytes each time it is written. */
    JsonDocument object(ResponseForm wanted, KubeObject object) throws Rejection;

    /** Returns an encoder of the objects of one watch. */
    ObjectEncoder objects(ResponseForm wanted) throws Rejection;

    /**
     * The shapes that every API has: whole objects, and their metadata.
     *
     * @param shape the shape
     */
    record Plain(ResponseShape shape) implements Rendering {

        @Override
        public boolean isNative(ResourceType type) {
            return true;
        }

        @Override
        public boolean isTimed() {
            return false;
        }

        @Override
        public JsonDocument list(ResponseForm wanted, String kind, ListPage page) throws Rejection {
            if (shape == ResponseShape.METADATA) {
                throw mismatch(wanted, /* list= */ true);
            }
            return shape == ResponseShape.METADATA_LIST
                    ? JsonDocument.metadataList(wanted.form().version(), page, wanted.items())
                    : JsonDocument.list(wanted.type(), kind, page, wanted.items());
        }

        @Override
        public JsonDocument object(ResponseForm wanted, KubeObject object) throws Rejection {
            if (shape == ResponseShape.METADATA_LIST) {
                throw mismatch(wanted, /* list= */ false);
            }
            return JsonDocument.of(object, objects(wanted));
        }

        @Override
        public ObjectEncoder objects(ResponseForm wanted) {
            return shape == ResponseShape.WHOLE ? wanted.whole() : wanted.metadata();
        }

        /** Returns the refusal of a shape of the other number, which names the Go type. */
        private Rejection mismatch(ResponseForm wanted, boolean list) {
            ResourceType type = wanted.type();
            boolean core = type.group().isEmpty() || type.kind().equals("Event");
            String group = core ? "core" : type.group().replaceFirst("\\..*", "");
            String name = type.builtIn() ? group + "." + type.kind() : "unstructured.Unstructured";
            return new Rejection(
                    StatusErrors.otherNumber(shape, list, "*" + name + (list ? "List" : "")));
        }
    }
}
