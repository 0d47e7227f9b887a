package io.kubemirror.api.watch;

import module java.base;

/**
 * A batch of complete frames that are sent in one write (list-watch.md#wi-3, #fa-7).
 *
 * <p>A batch references the frames, which it shares with other watches that send the same events.
 * It exists only while it is being sent: an idle watch holds no batch. Confined to one thread at a
 * time.
 */
public final class FrameBatch {

    private final long fullBytes;
    private final int fullEvents;
    private final UnaryOperator<byte[]> placed;
    private final List<byte[]> frames = new ArrayList<>(1);
    private int bytes;
    private int events;
    private boolean dated;
    private long oldest;

    /**
     * Creates an empty batch. The frame that reaches a limit is the last one.
     *
     * @param fullBytes the size at which the batch is full, in bytes
     * @param fullEvents the number of events at which it is full
     * @param placed gives each frame its place among those of other watches
     */
    FrameBatch(long fullBytes, int fullEvents, UnaryOperator<byte[]> placed) {
        this.fullBytes = fullBytes;
        this.fullEvents = fullEvents;
        this.placed = placed;
    }

    /** Adds an event. */
    void add(byte[] frame) {
        append(frame);
        events++;
    }

    /** Adds a change that the client has waited for since a time; the first is the oldest. */
    void add(byte[] frame, long since) {
        add(frame);
        if (!dated) {
            dated = true;
            oldest = since;
        }
    }

    /** Adds what is not an event. */
    void append(byte[] frame) {
        byte[] sent = placed.apply(frame);
        frames.add(sent);
        bytes += sent.length;
    }

    boolean isEmpty() {
        return frames.isEmpty();
    }

    /** Whether the batch is full. */
    boolean isFull() {
        return bytes >= fullBytes || events >= fullEvents;
    }

    /** Returns the frames, which must not be modified. */
    public List<byte[]> frames() {
        return frames;
    }

    /** Returns the size of all frames, in bytes. */
    int bytes() {
        return bytes;
    }

    /** Whether the batch has a change that the client has waited for. */
    boolean hasChanges() {
        return dated;
    }

    /** Returns since when the client has waited for the oldest change. */
    long oldest() {
        return oldest;
    }

    /** Returns the number of events, including bookmarks. */
    int events() {
        return events;
    }
}
