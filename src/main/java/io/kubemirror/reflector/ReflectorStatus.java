package io.kubemirror.reflector;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The status of a reflector for operators, in addition to that of the mirror.
 *
 * @param strategy the configured strategy
 * @param lessons the known capabilities of the server, in sentences; they decide what {@code auto}
 *     does
 * @param synchronization the last complete synchronization
 * @param trouble the last failure, even if it is over
 */
public record ReflectorStatus(
        Strategy strategy,
        List<String> lessons,
        Optional<Synchronization> synchronization,
        Optional<Trouble> trouble) {

    /** Copies the list. */
    public ReflectorStatus {
        lessons = List.copyOf(lessons);
    }

    /**
     * A complete synchronization.
     *
     * @param how the method: {@code list}, {@code list-watch-parallel}, or {@code watch-list}
     * @param at when it was complete
     * @param seconds how long it took
     */
    public record Synchronization(String how, Instant at, double seconds) {}

    /**
     * A failure, or an end that required a retry.
     *
     * @param problem the problem, in one line
     * @param at when it was noticed last
     */
    public record Trouble(String problem, Instant at) {}
}
