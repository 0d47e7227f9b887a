package io.kubemirror.mirror;

/** The effect of an event on a mirror. */
public enum Applied {
    /** The collection changed. */
    CHANGED,
    /**
     * The update changed only members that are dropped. The object has a new revision, and readers
     * see no change (list-watch.md#ca-4).
     */
    HIDDEN,
    /**
     * The event was applied before: its revision is not later than the mirror's
     * (list-watch.md#up-45).
     */
    DUPLICATE,
    /** The event deleted an unknown object, so only the revision advanced (list-watch.md#ev-9). */
    UNKNOWN,
    /** The event contradicts earlier events. Nothing was applied, and a new list is required. */
    CONTRADICTION
}
