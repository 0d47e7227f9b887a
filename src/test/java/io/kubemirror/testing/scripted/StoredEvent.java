package io.kubemirror.testing.scripted;

import module java.base;

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

    /** The same event with objects that look different. */
    StoredEvent reshaped(UnaryOperator<ObjectNode> look) {
        Map<String, ObjectNode> all = new TreeMap<>();
        after.forEach((key, each) -> all.put(key, look.apply(each.deepCopy())));
        return new StoredEvent(
                revision,
                kind,
                look.apply(object.deepCopy()),
                previous == null ? null : look.apply(previous.deepCopy()),
                TreePMap.from(all));
    }

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
