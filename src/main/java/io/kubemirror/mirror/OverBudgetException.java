package io.kubemirror.mirror;

/**
 * Thrown when an object does not fit into the memory of its mirror. The objects that were there
 * before remain.
 *
 * <p>An exception and not an outcome, since it ends a synchronization wherever an object arrives,
 * in the middle of a page as well as in a watch.
 */
public final class OverBudgetException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Excess excess;

    /** Creates an exception for an object that does not fit. */
    public OverBudgetException(Excess excess) {
        super(excess.toString());
        this.excess = excess;
    }

    /** Returns what is exceeded. */
    public Excess excess() {
        return excess;
    }

    /**
     * What does not fit.
     *
     * @param limit the limit that is exceeded
     * @param allowed the limit, in objects or bytes
     * @param objects the number of objects before this one
     * @param bytes the memory of all of them together with this one, in bytes
     * @param temporary whether another mirror has been asked to return its memory: it may fit soon
     */
    public record Excess(Limit limit, long allowed, long objects, long bytes, boolean temporary) {}

    /** A limit that an object can exceed. */
    public enum Limit {
        /** The maximum number of objects of the resource. */
        OBJECTS,
        /** The memory limit of the resource. */
        BYTES,
        /** The memory that all mirrors share. */
        SHARED
    }
}
