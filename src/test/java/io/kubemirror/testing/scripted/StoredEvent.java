package io.kubemirror.testing.scripted;

import io.kubemirror.testing.JsonTrees;

import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

import tools.jackson.databind.node.ObjectNode;

/**
 * A change of one object in a {@link ScriptedApiServer}.
 *
 * @param revision the revision the change made
 * @param kind what happened
 * @param object the object after it; for a deletion its last state with the deletion's revision
 * @param previous the object before it, null for a creation
 * @param after the whole collection after it, by {@link JsonTrees#key}
 */
public record StoredEvent(
        long revision,
        EventKind kind,
        ObjectNode object,
        @Nullable ObjectNode previous,
        TreePMap<String, ObjectNode> after) {

    /** What can happen to an object, named as on the wire. */
    public enum EventKind {
        /** It came into being. */
        ADDED,
        /** It changed. */
        MODIFIED,
        /** It ceased to be. */
        DELETED
    }
}
