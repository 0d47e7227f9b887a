package io.kubemirror.api.http;

import io.kubemirror.api.http.Accept.MediaRange;

import java.util.Set;

/**
 * The shape of an object or a collection in a response (list-watch.md#content-negotiation, {@code
 * as}).
 */
public enum ResponseShape {
    /** The complete object. */
    WHOLE("", ""),
    /** All of discovery in one document (list-watch.md#di-6). */
    DISCOVERY("APIGroupDiscoveryList", "apidiscovery.k8s.io"),
    /** The metadata of an object (list-watch.md#ne-32). */
    METADATA("PartialObjectMetadata", "meta.k8s.io"),
    /** The metadata of the objects of a list (list-watch.md#ne-30). */
    METADATA_LIST("PartialObjectMetadataList", "meta.k8s.io"),
    /** Rows and columns for display (list-watch.md#ne-20). */
    TABLE("Table", "meta.k8s.io");

    private final String kind;
    private final String group;

    ResponseShape(String kind, String group) {
        this.kind = kind;
        this.group = group;
    }

    /** Returns the kind that clients request. */
    String kind() {
        return kind;
    }

    /**
     * Whether the parameters of a clause request this shape in a supported version
     * (list-watch.md#ne-11).
     */
    boolean isRequested(MediaRange clause) {
        return clause.parameter("as").equals(kind)
                && clause.parameter("g").equals(group)
                && versions().contains(clause.parameter("v"));
    }

    private Set<String> versions() {
        return switch (this) {
            case WHOLE -> Set.of("");
            case DISCOVERY -> Set.of("v2");
            case METADATA, METADATA_LIST, TABLE -> Set.of("v1", "v1beta1");
        };
    }
}
