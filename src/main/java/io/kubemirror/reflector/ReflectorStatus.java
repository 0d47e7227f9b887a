package io.kubemirror.reflector;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a reflector can tell operators of its way so far, beside what the mirror knows.
 *
 * @param strategy the configured strategy
 * @param lessons what has been learned about the server, in sentences; decides what {@code auto}
 *     does
 * @param synchronisation the last complete synchronisation
 * @param trouble the last failure, also if it is over
 */
public record ReflectorStatus(
        Strategy strategy,
        List<String> lessons,
        Optional<Synchronization> synchronisation,
        Optional<Trouble> trouble) {

    /** Copies the list. */
    public ReflectorStatus {
        lessons = List.copyOf(lessons);
    }

    /**
     * A complete synchronisation.
     *
     * @param how in which way: {@code list}, {@code list with its watch} or {@code watch-list}
     * @param at when it was complete
     * @param duration how long it took
     */
    public record Synchronization(String how, Instant at, Duration duration) {}

    /**
     * Something that failed, or ended and had to be begun anew.
     *
     * @param problem what, in one line
     * @param at when it was noticed last
     */
    public record Trouble(String problem, Instant at) {}
}
