package io.kubemirror.clients;

import module java.base;

import io.kubemirror.testing.Unchecked;

/** Lines that any thread adds and waits for. */
final class OutputLines {

    /** Long, because only a failing test reaches it. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<String> lines = new ArrayList<>();

    synchronized void add(String line) {
        lines.add(line);
        notifyAll();
    }

    synchronized List<String> all() {
        return List.copyOf(lines);
    }

    /** Waits up to a minute until a condition of the lines is true, and returns whether it is. */
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
        Unchecked.run(() -> TimeUnit.NANOSECONDS.timedWait(this, nanos));
    }
}
