package io.kubemirror.api.read;

/** Who answers a get or a list (spec 4.5). */
public enum ReadSource {
    /** The mirror. */
    MIRROR,
    /** The mirror, which has come to where the API server was when the request came. */
    VERIFIED_MIRROR,
    /** The API server. */
    SERVER
}
