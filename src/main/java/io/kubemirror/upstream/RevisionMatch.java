package io.kubemirror.upstream;

/** How the revision of a list request is meant (list-watch.md#list-combinations). */
public enum RevisionMatch {
    /** Any state that is not older will do; what the server assumes where nothing is said. */
    NOT_OLDER_THAN,
    /** The state at that revision and no other. */
    EXACT
}
