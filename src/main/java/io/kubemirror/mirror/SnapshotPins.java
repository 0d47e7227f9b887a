package io.kubemirror.mirror;

import module java.base;

import org.jspecify.annotations.Nullable;

/**
 * The states of a mirror that slow readers keep in memory while the mirror moves on.
 *
 * <p>A state costs nothing as long as the history has it, too. After that it holds, at most, what
 * was replaced between it and the next state that is in memory. Readers add and remove their pins
 * at any time; the writer counts under its lock. A pin that it misses is counted with the next
 * change. While the history has all of the states, it looks at none of the pins.
 */
public final class SnapshotPins {

    private static final Comparator<Pin> OLDEST = Comparator.comparing(pin -> pin.age);

    private final Set<Pin> pins = ConcurrentHashMap.newKeySet();

    /**
     * No pin has an older state. A reader notes its pin after it has added it, and the writer
     * forgets this before it looks at the pins, so each pin is noted by one of them at least.
     */
    private final AtomicReference<@Nullable Age> oldest = new AtomicReference<>();

    /**
     * Counts the pins once the writer has ended and does not count any more. It is set before the
     * writer counts for the last time, and read after a pin is added or removed: that count knows
     * of the pin's change, or the reader counts again.
     */
    private volatile Recount recount = new Recount(() -> {}, () -> {});

    /**
     * What counts the pins of a mirror that has ended.
     *
     * @param added called after a pin has been added; may end the readers of others
     * @param closed called after a pin has been closed, maybe under a lock; ends no reader
     */
    record Recount(Runnable added, Runnable closed) {}

    /** The place of a state in the course of a mirror. */
    private record Age(long era, long replaced) implements Comparable<Age> {

        /** Whether the history lacks the state. */
        boolean isPast(View now) {
            return era != now.era() || replaced < now.recent().base().replaced();
        }

        @Override
        public int compareTo(Age other) {
            int eras = Long.compare(era, other.era);
            return eras == 0 ? Long.compare(replaced, other.replaced) : eras;
        }
    }

    /** A state that a reader keeps until it closes the pin. */
    public final class Pin implements AutoCloseable {

        private final Age age;
        private final long bytes;
        private final Runnable abort;

        private Pin(long era, Snapshot state, Runnable abort) {
            this.age = new Age(era, state.replaced());
            this.bytes = state.heapBytes();
            this.abort = abort;
        }

        /** Returns the memory that this state holds, compared with a later one. */
        private long until(long nextEra, long nextReplaced) {
            return age.era == nextEra ? Math.clamp(nextReplaced - age.replaced, 0, bytes) : bytes;
        }

        @Override
        public void close() {
            if (pins.remove(this)) {
                recount.closed().run();
            }
        }
    }

    /** Returns the number of pins. */
    public int size() {
        return pins.size();
    }

    /** Adds a pin of a state. May end other readers, so the caller must not hold a lock. */
    Pin add(long era, Snapshot state, Runnable abort) {
        Pin pin = new Pin(era, state, abort);
        pins.add(pin);
        note(pin);
        recount.added().run();
        return pin;
    }

    private void note(Pin pin) {
        oldest.accumulateAndGet(
                pin.age,
                (known, added) ->
                        known == null || (added != null && added.compareTo(known) < 0)
                                ? added
                                : known);
    }

    /** Sets what counts from now on when a pin is added or closed. */
    void onChange(Recount counting) {
        recount = counting;
    }

    /** Returns the memory that only pins hold, in bytes, at most. */
    long held(View now) {
        Age first = oldest.get();
        if (first == null || !first.isPast(now)) {
            return 0;
        }
        oldest.set(null);
        pins.forEach(this::note);
        long held = 0;
        long nextEra = now.era();
        long nextReplaced = now.recent().base().replaced();
        List<Pin> past =
                pins.stream().filter(pin -> pin.age.isPast(now)).sorted(OLDEST.reversed()).toList();
        for (Pin pin : past) {
            held += pin.until(nextEra, nextReplaced);
            nextEra = pin.age.era;
            nextReplaced = pin.age.replaced;
        }
        return held;
    }

    /**
     * Removes the pin of the oldest state, and returns false if there is none. The caller counts
     * the pins again.
     *
     * @param aborts gets what ends the reader, to be run without any lock
     */
    boolean removeOldest(Consumer<Runnable> aborts) {
        Optional<Pin> oldest = pins.stream().min(OLDEST);
        oldest.ifPresent(pins::remove);
        oldest.map(pin -> pin.abort).ifPresent(aborts);
        return oldest.isPresent();
    }
}
