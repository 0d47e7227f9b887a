package io.kubemirror.model;

/**
 * The key of an object in its collection: {@code namespace/name}, or {@code name} for a type of
 * cluster scope.
 *
 * <p>Keys are ordered as byte strings, as etcd orders them, so that {@code a-b/x} comes before
 * {@code a/x} (list-watch.md#li-24). One string instead of two saves 40 bytes per stored object and
 * makes all objects of one namespace a range.
 *
 * @param path the key as one string
 */
public record ObjectKey(String path) implements Comparable<ObjectKey> {

    /** Creates the key of an object; an empty namespace stands for cluster scope. */
    public static ObjectKey of(String namespace, String name) {
        return new ObjectKey(namespace.isEmpty() ? name : namespace + "/" + name);
    }

    /** Returns the namespace, empty for an object of cluster scope. */
    public String namespace() {
        int slash = path.indexOf('/');
        return slash < 0 ? "" : path.substring(0, slash);
    }

    /** Returns the name inside the namespace. */
    public String name() {
        return path.substring(path.indexOf('/') + 1);
    }

    /** Returns whether this is the object's namespace; the empty one stands for cluster scope. */
    public boolean isIn(String namespace) {
        int slash = path.indexOf('/');
        return slash < 0
                ? namespace.isEmpty()
                : slash == namespace.length() && path.startsWith(namespace);
    }

    /** Returns whether this is the object's name inside its namespace. */
    public boolean isNamed(String name) {
        int start = path.indexOf('/') + 1;
        return path.length() - start == name.length() && path.startsWith(name, start);
    }

    /**
     * Returns whether a name can be one segment of a path (list-watch.md#pa-19). The empty name can
     * be absent from one.
     */
    public static boolean isSegment(String name) {
        return !name.equals(".") && !name.equals("..") && name.indexOf('%') < 0;
    }

    /** Compares the UTF-8 bytes of the paths. */
    @Override
    public int compareTo(ObjectKey other) {
        return GoString.compare(path, other.path);
    }

    @Override
    public String toString() {
        return path;
    }
}
