package io.kubemirror.upstream;

/**
 * The limits of reading ahead in a watch.
 *
 * @param frames the number of frames
 * @param bytes the size of the objects in the frames
 */
public record ReadAheadLimits(int frames, long bytes) {

    /**
     * Returns the default limits of 100,000 frames and 64 MiB: the changes of some minutes in a
     * busy collection.
     */
    public static ReadAheadLimits defaults() {
        return new ReadAheadLimits(100_000, 64L << 20);
    }

    /** Returns whether a limit is exhausted. */
    public boolean isNone() {
        return frames <= 0 || bytes <= 0;
    }

    /** Returns the limits that remain after a frame of the given size. */
    public ReadAheadLimits less(int size) {
        return new ReadAheadLimits(frames - 1, bytes - size);
    }
}
