package io.kubemirror.model;

/**
 * The place of an object in its collection: {@code namespace/name}, or {@code name} where the type
 * has cluster scope.
 *
 * <p>Keys are ordered as byte strings, as etcd orders them, so that {@code a-b/x} comes before
 * {@code a/x} (list-watch.md#li-24). One string instead of two keeps a stored object 40 bytes
 * smaller and makes "all of one namespace" a range.
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

    /** Whether this is the object's namespace, the empty one being that of cluster scope. */
    public boolean isIn(String namespace) {
        int slash = path.indexOf('/');
        return slash < 0
                ? namespace.isEmpty()
                : slash == namespace.length() && path.startsWith(namespace);
    }

    /** Whether this is the object's name inside its namespace. */
    public boolean isNamed(String name) {
        int start = path.indexOf('/') + 1;
        return path.length() - start == name.length() && path.startsWith(name, start);
    }

    /** Orders as the UTF-8 bytes of the path would. */
    @Override
    public int compareTo(ObjectKey other) {
        return Utf8Order.compare(path, other.path);
    }

    @Override
    public String toString() {
        return path;
    }
}
