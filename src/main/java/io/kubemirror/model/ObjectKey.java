package io.kubemirror.model;

/**
 * The place of an object in its collection: {@code namespace/name}, or {@code name} where the type
 * has cluster scope.
 *
 * <p>Keys are ordered as byte strings, as etcd orders them, so that {@code a-b/x} comes before
 * {@code a/x} (LI-24). One string instead of two keeps a stored object 40 bytes smaller and makes
 * "all of one namespace" a range.
 *
 * @param path the key as one string
 */
public record ObjectKey(String path) implements Comparable<ObjectKey> {

    /** The key of an object; an empty namespace stands for cluster scope. */
    public static ObjectKey of(String namespace, String name) {
        return new ObjectKey(namespace.isEmpty() ? name : namespace + "/" + name);
    }

    /** The namespace, empty for an object of cluster scope. */
    public String namespace() {
        int slash = path.indexOf('/');
        return slash < 0 ? "" : path.substring(0, slash);
    }

    /** The name inside the namespace. */
    public String name() {
        return path.substring(path.indexOf('/') + 1);
    }

    /** Whether the object lives in the namespace. */
    public boolean isIn(String namespace) {
        return path.length() > namespace.length()
                && path.charAt(namespace.length()) == '/'
                && path.startsWith(namespace);
    }

    /**
     * Orders as the UTF-8 bytes of the path would, which differs from {@link String#compareTo} only
     * beyond the Basic Multilingual Plane.
     */
    @Override
    public int compareTo(ObjectKey other) {
        String theirs = other.path;
        int common = Math.min(path.length(), theirs.length());
        for (int i = 0; i < common; i++) {
            char a = path.charAt(i);
            char b = theirs.charAt(i);
            if (a != b) {
                boolean oneIsSurrogate = Character.isSurrogate(a) != Character.isSurrogate(b);
                return oneIsSurrogate
                        ? (Character.isSurrogate(a) ? 1 : -1)
                        : Character.compare(a, b);
            }
        }
        return Integer.compare(path.length(), theirs.length());
    }

    @Override
    public String toString() {
        return path;
    }
}
