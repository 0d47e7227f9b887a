package io.kubemirror.kube.json;

import module java.base;

import io.kubemirror.model.FieldPath;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.StoredFields;

import org.jspecify.annotations.Nullable;

/**
 * The members of an object that are read or not stored, as a tree of names. Members outside the
 * tree are skipped without being decoded.
 *
 * <p>A member whose text is needed has a slot: an index under which the reader stores the text.
 */
final class FieldTree {

    static final int KIND = 0;
    static final int API_VERSION = 1;
    static final int NAME = 2;
    static final int NAMESPACE = 3;
    static final int UID = 4;
    static final int REVISION = 5;
    static final int INITIAL_EVENTS_END = 6;
    static final int CREATED = 7;
    static final int CHANGED = 8;

    private static final int NO_SLOT = -1;

    /** The labels that selectors read from the key instead of the fields. */
    private static final List<String> KEY_LABELS = List.of("metadata.name", "metadata.namespace");

    private final Node root = new Node();
    private final List<TrackedField> fields = new ArrayList<>();
    private int slots;

    /** Creates the tree of the members that every object has, and of a shape. */
    FieldTree(ObjectShape shape) {
        slot(List.of("kind"));
        slot(List.of("apiVersion"));
        slot(List.of("metadata", "name"));
        slot(List.of("metadata", "namespace"));
        slot(List.of("metadata", "uid"));
        slot(List.of("metadata", "resourceVersion"));
        slot(List.of("metadata", "annotations", "k8s.io/initial-events-end"));
        slot(List.of("metadata", "creationTimestamp"));
        slot(List.of("metadata", "managedFields"));
        node(List.of("kind")).dropped = true;
        node(List.of("apiVersion")).dropped = true;
        node(List.of("metadata", "labels")).labels = true;
        shape.selectable().forEach(this::addField);
        addStored(shape.stored());
    }

    private void addStored(StoredFields stored) {
        for (FieldPath path : stored.dropped()) {
            node(path.segments()).dropped = true;
        }
        if (!stored.kept().isEmpty()) {
            stored.remaining().forEach(path -> node(path.segments()).kept = true);
            // Last, because all other members of the tree are dropped, too.
            dropOthers(root);
        }
    }

    /** Drops all members of a member that is kept in part, except for what is kept of it. */
    private static void dropOthers(Node part) {
        part.partial = true;
        for (Node child : part.children.values()) {
            if (child.keepsPart()) {
                dropOthers(child);
            } else if (!child.kept) {
                child.dropped = true;
            }
        }
    }

    /** Drops everything but the metadata. */
    void dropAllButMetadata() {
        root.partial = true;
        root.children.forEach((name, node) -> node.dropped |= !name.equals("metadata"));
    }

    private void addField(SelectableField field) {
        if (!KEY_LABELS.contains(field.label())) {
            List<Integer> sources =
                    field.sources().stream().map(path -> slot(path.segments())).toList();
            fields.add(new TrackedField(field.label(), sources, field.fallback()));
        }
    }

    private int slot(List<String> path) {
        Node node = node(path);
        if (node.slot == NO_SLOT) {
            node.slot = slots++;
        }
        return node.slot;
    }

    private Node node(List<String> path) {
        Node node = root;
        for (String name : path) {
            node = node.children.computeIfAbsent(name, _ -> new Node());
        }
        return node;
    }

    /** Returns the node of the object itself. */
    Node root() {
        return root;
    }

    /** Returns the node of {@code metadata}. */
    Node metadata() {
        return node(List.of("metadata"));
    }

    /** Returns the number of slots. */
    int slots() {
        return slots;
    }

    /** Returns the selectable fields. */
    List<TrackedField> fields() {
        return fields;
    }

    /**
     * A selectable field.
     *
     * @param label the name in selectors
     * @param sources the slots of its sources, in order of preference
     * @param fallback the value if no source has one
     */
    record TrackedField(String label, List<Integer> sources, String fallback) {

        /** Returns the value, given the texts of all slots. As in Go, an empty text is absent. */
        String value(@Nullable String[] texts) {
            for (int slot : sources) {
                String text = texts[slot];
                if (text != null && !text.isEmpty()) {
                    return text;
                }
            }
            return fallback;
        }
    }

    /** A member that is read or not stored, or a part of which is. */
    static final class Node {

        private final Map<String, Node> children = new HashMap<>();

        /** The slot of the text of the member, negative if the text is not needed. */
        int slot = NO_SLOT;

        /** Whether the member is cut from the stored JSON. */
        boolean dropped;

        private boolean kept;

        /** Whether members outside the tree are cut, and values without members. */
        boolean partial;

        /** Whether the member contains the labels. */
        boolean labels;

        private Node() {}

        /** Returns the child with a name, or null if that member is skipped. */
        @Nullable Node child(String name) {
            return children.get(name);
        }

        private boolean keepsPart() {
            return !kept
                    && children.values().stream()
                            .anyMatch(child -> child.kept || child.keepsPart());
        }

        /**
         * Removes the stored texts of this member, because a duplicate member replaces the earlier
         * one.
         */
        void clear(@Nullable String[] texts) {
            if (slot != NO_SLOT) {
                texts[slot] = null;
            }
            children.values().forEach(child -> child.clear(texts));
        }
    }
}
