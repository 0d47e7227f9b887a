package io.kubemirror.web;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;

/** Makes of objects and lists what clients have chosen to get (spec 2.3, 2.4). */
final class Forms {

    /**
     * One object.
     *
     * @throws Rejection if the client wants a list (NE-31)
     */
    Body object(ResourceType type, KubeObject object, Representation form) throws Rejection {
        return switch (form.shape()) {
            case WHOLE, METADATA, TABLE, DISCOVERY ->
                    new ObjectDocument(objects(type, form), object);
            case METADATA_LIST ->
                    throw new Rejection(
                            StatusErrors.otherNumber(form.shape(), false, goType(type, "")));
        };
    }

    /**
     * A list.
     *
     * @throws Rejection if the client wants one object (NE-31)
     */
    Body list(ResourceType type, Page page, Representation form) throws Rejection {
        return switch (form.shape()) {
            case WHOLE, TABLE, DISCOVERY -> new ListDocument(type, page);
            case METADATA_LIST -> new MetadataListDocument(form.version(), page);
            case METADATA ->
                    throw new Rejection(
                            StatusErrors.otherNumber(form.shape(), true, goType(type, "List")));
        };
    }

    /** The objects in the events of a watch. */
    ObjectForm objects(ResourceType type, Representation form) {
        return switch (form.shape()) {
            case WHOLE, TABLE, DISCOVERY -> new TypeMeta(type);
            case METADATA, METADATA_LIST -> new MetadataForm(form.version());
        };
    }

    /** What the API server's program calls the type. */
    private static String goType(ResourceType type, String suffix) {
        return (type.builtIn()
                        ? "*" + type.version() + "." + type.kind()
                        : "*unstructured.Unstructured")
                + suffix;
    }
}
