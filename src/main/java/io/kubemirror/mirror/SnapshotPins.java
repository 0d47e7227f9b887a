package io.kubemirror.mirror;

import module java.base;

/**
 * The states of a mirror that readers keep in memory, although the mirror may move on.
 *
 * <p>A state costs nothing as long as the history has it, too. After that it holds, at most, what
 * was replaced between it and the next state that is in memory. Safe for use by any thread: what is
 * pinned while the pins are counted is counted after the next change.
 */
public final class SnapshotPins {

    private static final Comparator<Pin> OLDEST =
            Comparator.<Pin>comparingLong(pin -> pin.replaced).thenComparingLong(pin -> pin.number);

    private final NavigableSet<Pin> pins = new ConcurrentSkipListSet<>(OLDEST);
    private final AtomicLong numbers = new AtomicLong();

    /** A state that a reader keeps until it closes the pin. */
    public final class Pin implements AutoCloseable {

        private final long number = numbers.getAndIncrement();
        private final long replaced;
        private final long bytes;
        private final Runnable abort;

        private Pin(Snapshot state, Runnable abort) {
            this.replaced = state.replaced();
            this.bytes = state.heapBytes();
            this.abort = abort;
        }

        @Override
        public void close() {
            pins.remove(this);
        }
    }

    /**
     * Adds a pin of a state.
     *
     * @param abort ends the reader; must return at once
     */
    Pin add(Snapshot state, Runnable abort) {
        Pin pin = new Pin(state, abort);
        pins.add(pin);
        return pin;
    }

    /** Returns whether there is none. */
    boolean isEmpty() {
        return pins.isEmpty();
    }

    /**
     * Returns the memory that only pins hold, in bytes, at most.
     *
     * @param kept what was replaced before the oldest state that the history has
     */
    long held(long kept) {
        long held = 0;
        long next = kept;
        for (Pin pin : pins.descendingSet()) {
            held += Math.clamp(next - pin.replaced, 0, pin.bytes);
            next = Math.min(next, pin.replaced);
        }
        return held;
    }

    /** Ends the reader of the oldest state, if there is one. The caller holds no lock. */
    void abortOldest() {
        Pin oldest = pins.pollFirst();
        if (oldest != null) {
            oldest.abort.run();
        }
    }
}
