package io.kubemirror.api.watch;

import java.util.ArrayList;
import java.util.List;

/**
 * Whole frames that are sent in one go (list-watch.md#wi-3, #wi-4, #fa-8).
 *
 * <p>It holds the frames themselves, which are shared with whoever is sent the same, and lasts as
 * long as they are being sent: a watch that waits holds nothing. Used by one thread at a time.
 */
final class FrameBatch {

    /** A portion is closed by the frame that makes it as large as this. */
    static final int FULL = 128 * 1024;

    private final List<byte[]> frames = new ArrayList<>(1);
    private int bytes;
    private int events;

    /** A frame that is no event. */
    static FrameBatch sign(byte[] frame) {
        FrameBatch batch = new FrameBatch();
        batch.append(frame);
        return batch;
    }

    /** Adds an event. */
    void add(byte[] frame) {
        append(frame);
        events++;
    }

    private void append(byte[] frame) {
        frames.add(frame);
        bytes += frame.length;
    }

    boolean isEmpty() {
        return frames.isEmpty();
    }

    /** Whether no more should be added. */
    boolean isFull() {
        return bytes >= FULL;
    }

    /** The frames, which nobody may change. */
    List<byte[]> frames() {
        return frames;
    }

    /** The size of all frames. */
    int bytes() {
        return bytes;
    }

    /** How many events it has, bookmarks included. */
    int events() {
        return events;
    }
}
