package io.kubemirror.kube.json;

import module java.base;

import io.kubemirror.model.FieldPath;

import org.jspecify.annotations.Nullable;

/** The members of an object that are not stored, as a tree of names. Immutable. */
final class MemberTree {

    private final Node root = new Node();

    /** Creates the tree of what is stored. */
    MemberTree(StoredFields stored) {
        for (FieldPath path : stored.dropped()) {
            node(path.segments()).dropped = true;
        }
        if (!stored.kept().isEmpty()) {
            stored.remaining().forEach(path -> node(path.segments()).kept = true);
            // Last, because all other members of the tree are dropped, too.
            dropOthers(root);
        }
    }

    private Node node(List<String> path) {
        Node node = root;
        for (String name : path) {
            node = node.children.computeIfAbsent(name, _ -> new Node());
        }
        return node;
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

    /** Returns the node of the object itself. */
    Node root() {
        return root;
    }

    /** A member that is not stored, or a part of which is not. */
    static final class Node {

        private final Map<String, Node> children = new HashMap<>();
        private boolean dropped;
        private boolean kept;
        private boolean partial;

        private Node() {}

        /** Returns the child with a name, or null if that member is like all others. */
        @Nullable Node child(String name) {
            return children.get(name);
        }

        /** Returns whether the member is cut. */
        boolean dropped() {
            return dropped;
        }

        /** Returns whether members outside the tree are cut, and values without members. */
        boolean partial() {
            return partial;
        }

        private boolean keepsPart() {
            return !kept
                    && children.values().stream()
                            .anyMatch(child -> child.kept || child.keepsPart());
        }
    }
}
