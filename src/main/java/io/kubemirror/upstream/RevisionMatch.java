package io.kubemirror.upstream;

/** Specifies how the revision of a list request is matched (list-watch.md#list-combinations). */
public enum RevisionMatch {
    /** Any state that is not older than the revision; the default of the server. */
    NOT_OLDER_THAN,
    /** The state at exactly that revision. */
    EXACT
}
