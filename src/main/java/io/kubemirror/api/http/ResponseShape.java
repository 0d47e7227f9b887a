package io.kubemirror.api.http;

import io.kubemirror.api.http.Accept.MediaRange;

import java.util.Set;

/**
 * The shape of an object or a collection in a response (list-watch.md#content-negotiation, {@code
 * as}). Two shapes are the same only if they are the same instance.
 */
public final class ResponseShape {

    private static final String META = "meta.k8s.io";
    private static final Set<String> META_VERSIONS = Set.of("v1", "v1beta1");

    /** The complete object. */
    public static final ResponseShape WHOLE = new ResponseShape("", "", Set.of(""), "");

    /** All of discovery in one document (list-watch.md#di-6). */
    public static final ResponseShape DISCOVERY =
            new ResponseShape(
                    "APIGroupDiscoveryList", "apidiscovery.k8s.io", Set.of("v2"), "discovery");

    /** The metadata of an object (list-watch.md#ne-32). */
    public static final ResponseShape METADATA = ofMeta("PartialObjectMetadata", "metadata");

    /** The metadata of the objects of a list (list-watch.md#ne-30). */
    public static final ResponseShape METADATA_LIST =
            ofMeta("PartialObjectMetadataList", "metadata");

    private final String kind;
    private final String group;
    private final Set<String> versions;
    private final String label;

    private ResponseShape(String kind, String group, Set<String> versions, String label) {
        this.kind = kind;
        this.group = group;
        this.versions = versions;
        this.label = label;
    }

    /**
     * Creates a shape of the group {@code meta.k8s.io}.
     *
     * @param kind the kind that clients request
     * @param label the name of the shape in metrics
     */
    public static ResponseShape ofMeta(String kind, String label) {
        return new ResponseShape(kind, META, META_VERSIONS, label);
    }

    /** Returns the kind that clients request. */
    public String kind() {
        return kind;
    }

    /** Returns the name of the shape in metrics, empty for whole objects. */
    String label() {
        return label;
    }

    /**
     * Whether the parameters of a clause request this shape in a supported version
     * (list-watch.md#ne-11).
     */
    boolean isRequested(MediaRange clause) {
        return clause.parameter("as").equals(kind)
                && clause.parameter("g").equals(group)
                && versions.contains(clause.parameter("v"));
    }
}
