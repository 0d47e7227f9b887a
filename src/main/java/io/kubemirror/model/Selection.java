package io.kubemirror.model;

import module java.base;

/**
 * The part of a collection that a client asked for.
 *
 * @param namespace the namespace, empty for all
 * @param labels the label selector
 * @param fields the field selector
 * @param shard the shard selector
 */
public record Selection(
        String namespace, LabelSelector labels, FieldSelector fields, ShardSelector shard) {

    private static final Selection EVERYTHING =
            new Selection("", LabelSelector.everything(), FieldSelector.everything());

    /** Creates a selection of all shards. */
    public Selection(String namespace, LabelSelector labels, FieldSelector fields) {
        this(namespace, labels, fields, ShardSelector.everything());
    }

    /** Returns the selection of the whole collection. */
    public static Selection everything() {
        return EVERYTHING;
    }

    /** Returns whether every object matches the selection. */
    public boolean isEverything() {
        return namespace.isEmpty()
                && labels.isEverything()
                && fields.isEverything()
                && shard.isEverything();
    }

    /** Returns whether a change concerns the selection: its object matches before or after. */
    public boolean matches(Change change) {
        return matches(change.latest())
                || (change instanceof Change.Modified modified && matches(modified.previous()));
    }

    /** Returns whether an object matches the selection. */
    public boolean matches(KubeObject object) {
        return (namespace.isEmpty() || object.key().isIn(namespace))
                && labels.matches(object.labels())
                && fields.matches(object)
                && shard.matches(object);
    }

    /**
     * Returns a change as a client with this selection sees it; empty if the client sees none
     * (list-watch.md#ev-1 to #ev-4).
     */
    public Optional<Change> view(Change change) {
        if (!(change instanceof Change.Modified modified)) {
            return matches(change.latest()) ? Optional.of(change) : Optional.empty();
        }
        boolean before = matches(modified.previous());
        boolean now = matches(modified.object());
        if (now) {
            return Optional.of(
                    before ? change : new Change.Added(change.revision(), modified.object()));
        }
        return before
                ? Optional.of(new Change.Deleted(change.revision(), modified.previous()))
                : Optional.empty();
    }
}
