package io.kubemirror.upstream.kube;

import io.kubemirror.model.ResourceType;
import io.kubemirror.upstream.ResourceCollection;

import org.jspecify.annotations.Nullable;

/**
 * The form in which the objects of a collection come: what to ask for, and what the answer calls
 * itself (list-watch.md#up-10, #ne-30, #ne-32). Failures inside a watch come as {@code Status} in
 * every form.
 *
 * @param list what lists are asked for, as a value of {@code Accept}
 * @param object what watches are asked for, as a value of {@code Accept}
 * @param kind the kind of each object, and of bookmarks
 * @param apiVersion the API version of each object, and of bookmarks
 * @param namesLists whether a list's kind follows from that of its objects; custom resources may
 *     give theirs any, but their items tell what they are
 */
record CollectionFormat(
        String list, String object, String kind, String apiVersion, boolean namesLists) {

    /** JSON, in the form the server gives it. */
    static final String JSON = "application/json";

    private static final String METADATA_KIND = "PartialObjectMetadata";

    /** The form of a collection. */
    static CollectionFormat of(ResourceCollection collection) {
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

    /** Whether an object that calls itself so, or not at all, is one of the collection. */
    boolean isObject(@Nullable String kind, @Nullable String apiVersion) {
        return (kind == null || kind.equals(this.kind))
                && (apiVersion == null || apiVersion.equals(this.apiVersion));
    }

    /** Whether a list that calls itself so is one of the collection. */
    boolean isList(@Nullable String kind) {
        return kind != null && (!namesLists || kind.equals(this.kind + "List"));
    }
}
