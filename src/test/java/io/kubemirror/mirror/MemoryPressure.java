package io.kubemirror.mirror;

/** The memory of a mirror, and what happens when it is short. */
public final class MemoryPressure {

    private MemoryPressure() {}

    /** The heap memory of the objects. */
    public static long bytes(Mirror mirror) {
        return mirror.snapshot().orElseThrow().heapBytes();
    }

    /** Evicts the oldest changes until so many bytes are free. */
    public static void shorten(MirrorWriter writer, long bytes) {
        writer.shorten(bytes);
    }

    /** Ends the reader of the oldest state; returns false if there is none. */
    public static boolean endOldestReader(Mirror mirror) {
        return mirror.pins().removeOldest(Runnable::run);
    }
}
