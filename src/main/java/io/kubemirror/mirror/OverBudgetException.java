package io.kubemirror.mirror;

/**
 * Thrown where an object does not fit into the memory of its mirror. The objects that were there
 * before are still there.
 *
 * <p>An exception and no outcome, since it ends a synchronization wherever an object arrives, in
 * the middle of a page as well as in a watch.
 */
public final class OverBudgetException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Limit limit;
    private final long allowed;
    private final long objects;
    private final long bytes;

    /**
     * An object did not fit.
     *
     * @param limit what it did not fit into
     * @param allowed the limit, in objects or bytes
     * @param objects how many objects there were before it
     * @param bytes how much memory they needed together with it, in bytes
     */
    public OverBudgetException(Limit limit, long allowed, long objects, long bytes) {
        super("%d objects of %d bytes do not fit: %s".formatted(objects, bytes, limit));
        this.limit = limit;
        this.allowed = allowed;
        this.objects = objects;
        this.bytes = bytes;
    }

    /** What an object may not fit into. */
    public enum Limit {
        /** The limit of the number of objects of the resource. */
        OBJECTS,
        /** The limit of the memory of the resource. */
        BYTES,
        /** The memory that all mirrors share. */
        SHARED
    }

    /** What the object did not fit into. */
    public Limit limit() {
        return limit;
    }

    /** The limit, in objects or bytes. */
    public long allowed() {
        return allowed;
    }

    /** How many objects there were before it. */
    public long objects() {
        return objects;
    }

    /** How much memory they needed together with it, in bytes. */
    public long bytes() {
        return bytes;
    }
}
