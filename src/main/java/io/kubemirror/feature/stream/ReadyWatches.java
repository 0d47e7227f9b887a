package io.kubemirror.feature.stream;

import io.kubemirror.api.watch.CoalescingTask;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The watches of a stream that have something to do, by number. They take turns, so that none waits
 * forever.
 */
final class ReadyWatches {

    /**
     * 1 for each watch that has something to do. A thread that changes what the watch depends on
     * sets it afterwards, and then signals the task. A run clears it before the watch looks at what
     * it depends on, so a change that the watch does not see sets it again, and the signal submits
     * another run.
     */
    private final AtomicIntegerArray ready;

    private final CoalescingTask task;

    /** The number of the watch that has been taken last. Confined to the runs of the task. */
    private int last;

    /**
     * Creates watches of which each has something to do.
     *
     * @param task the task that is signaled, which takes the watches
     */
    ReadyWatches(int count, CoalescingTask task) {
        this.ready = new AtomicIntegerArray(count);
        this.task = task;
        this.last = count - 1;
        addAll();
    }

    /** Adds a watch, and signals the task. Thread-safe. */
    void signal(int number) {
        ready.set(number, 1);
        task.signal();
    }

    /** Adds all watches, and signals the task. Thread-safe. */
    void signalAll() {
        addAll();
        task.signal();
    }

    /** Adds all watches. Thread-safe. */
    void addAll() {
        for (int number = 0; number < ready.length(); number++) {
            ready.set(number, 1);
        }
    }

    /** Adds the watch that was taken last, after all others. Confined to the runs of the task. */
    void addLast() {
        ready.set(last, 1);
    }

    /** Returns the number that was taken last. Confined to the runs of the task. */
    int last() {
        return last;
    }

    /**
     * Takes the next watch after the last one. Confined to the runs of the task.
     *
     * @return whether there is one
     */
    boolean takeNext() {
        int count = ready.length();
        for (int i = 1; i <= count; i++) {
            int number = (last + i) % count;
            if (ready.get(number) == 1) {
                ready.set(number, 0);
                last = number;
                return true;
            }
        }
        return false;
    }
}
