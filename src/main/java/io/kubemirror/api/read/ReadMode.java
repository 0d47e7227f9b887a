package io.kubemirror.api.read;

/** Who answers lists and gets for the newest state, which only the API server knows (spec 4.5). */
public enum ReadMode {
    /** The mirror, with what it has come to (FR-1). */
    CACHE,
    /** The API server (FR-2). */
    PROXY,
    /** The mirror once it has come to the API server's present revision, else the latter (FR-3). */
    VERIFY
}
