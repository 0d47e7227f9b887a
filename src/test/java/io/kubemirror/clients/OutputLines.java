package io.kubemirror.clients;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Lines that any thread adds, and that others wait for. */
final class OutputLines {

    /** Long, since only a failing test ever waits it out. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<String> lines = new ArrayList<>();

    synchronized void add(String line) {
        lines.add(line);
        notifyAll();
    }

    synchronized List<String> all() {
        return List.copyOf(lines);
    }

    /** Waits until something holds of the lines, a minute at most; tells whether it does. */
    synchronized boolean await(Predicate<List<String>> holds) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!holds.test(all())) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            pause(left);
        }
        return true;
    }

    private void pause(long nanos) {
        try {
            TimeUnit.NANOSECONDS.timedWait(this, nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting", e);
        }
    }
}
