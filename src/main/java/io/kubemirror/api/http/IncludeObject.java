package io.kubemirror.api.http;

/**
 * The {@code includeObject} parameter: what table rows contain of their objects
 * (list-watch.md#ne-24 to #ne-26).
 */
public enum IncludeObject {
    /** The metadata. */
    METADATA,
    /** The complete object. */
    OBJECT,
    /** Nothing. */
    NONE;

    /**
     * Parses the parameter.
     *
     * @throws Rejection if the parameter has another value
     */
    public static IncludeObject of(Query query) throws Rejection {
        String text = query.text("includeObject");
        return switch (text) {
            case "", "Metadata" -> METADATA;
            case "Object" -> OBJECT;
            case "None" -> NONE;
            default ->
                    throw new Rejection(
                            StatusErrors.badRequest(
                                    "Unable to convert to Table as requested: includeObject:"
                                            + " Invalid value: "
                                            + StatusJson.quote(text)
                                            + ": must be 'Metadata', 'Object', 'None', or empty"));
        };
    }
}
