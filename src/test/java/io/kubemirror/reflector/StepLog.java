package io.kubemirror.reflector;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.Collectors;

/** The last steps of a history, printed only if it fails. */
final class StepLog {

    private static final int LENGTH = 80;

    private final Deque<LogEntry> entries = new ArrayDeque<>(LENGTH);

    private record LogEntry(Instant when, Object who, Object what) {
        @Override
        public String toString() {
            return "%10.3f s  %-10s %s"
                    .formatted(
                            Duration.between(Simulation.BEGIN, when).toMillis() / 1000.0,
                            who,
                            what);
        }
    }

    /**
     * Notes a step.
     *
     * @param what something immutable
     */
    void note(Instant when, Object who, Object what) {
        if (entries.size() == LENGTH) {
            entries.removeFirst();
        }
        entries.addLast(new LogEntry(when, who, what));
    }

    @Override
    public String toString() {
        return entries.stream().map(LogEntry::toString).collect(Collectors.joining("\n"));
    }
}
