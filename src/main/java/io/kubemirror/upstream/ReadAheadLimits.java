package io.kubemirror.upstream;

/**
 * How far a watch may be read ahead.
 *
 * @param frames the number of frames
 * @param bytes the size of their objects
 */
public record ReadAheadLimits(int frames, long bytes) {

    /** 100,000 frames of 64 MiB: what a busy collection changes within some minutes. */
    public static ReadAheadLimits defaults() {
        return new ReadAheadLimits(100_000, 64L << 20);
    }

    /** Whether there is no room. */
    public boolean isNone() {
        return frames <= 0 || bytes <= 0;
    }

    /** The room that is left after a frame of a size has come. */
    public ReadAheadLimits less(int size) {
        return new ReadAheadLimits(frames - 1, bytes - size);
    }
}
