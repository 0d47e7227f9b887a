package io.kubemirror.kube.json;

import io.kubemirror.model.ResourceType;
import io.kubemirror.source.ResourceCollection;

import org.jspecify.annotations.Nullable;

/**
 * The format of the objects in a collection: the media types to request, and the expected kinds
 * (list-watch.md#up-10, #ne-30). Failures inside a watch are {@code Status} objects in every
 * format.
 *
 * @param list the value of {@code Accept} for lists
 * @param object the value of {@code Accept} for watches
 * @param kind the kind of each object and of bookmarks
 * @param apiVersion the API version of each object and of bookmarks
 * @param namesLists whether the kind of a list follows from that of its objects; custom resources
 *     may declare any list kind, but their items name their own kind
 */
public record CollectionFormat(
        String list, String object, String kind, String apiVersion, boolean namesLists) {

    /** JSON, in the default form of the server. */
    public static final String JSON = "application/json";

    private static final String METADATA_KIND = "PartialObjectMetadata";

    /** Returns the format of a collection. */
    public static CollectionFormat of(ResourceCollection collection) {
        ResourceType type = collection.type();
        return switch (collection.extent()) {
            case WHOLE ->
                    new CollectionFormat(
                            JSON, JSON, type.kind(), type.apiVersion(), type.builtIn());
            case METADATA ->
                    new CollectionFormat(
                            as(METADATA_KIND + "List"),
                            as(METADATA_KIND),
                            METADATA_KIND,
                            "meta.k8s.io/v1",
                            true);
        };
    }

    private static String as(String kind) {
        return JSON + ";as=" + kind + ";g=meta.k8s.io;v=v1";
    }

    /**
     * Returns whether an object with this kind and API version, or without them, belongs to the
     * collection.
     */
    public boolean isObject(@Nullable String kind, @Nullable String apiVersion) {
        return (kind == null || kind.equals(this.kind))
                && (apiVersion == null || apiVersion.equals(this.apiVersion));
    }

    /** Returns whether a list with this kind belongs to the collection. */
    public boolean isList(String kind) {
        return !namesLists || listKind(kind).isEmpty();
    }

    /** Returns the kind of a list, empty if it follows from that of its objects. */
    public String listKind(String kind) {
        return kind.equals(this.kind + "List") ? "" : kind;
    }
}
