package io.kubemirror.reflector;

import java.time.Duration;

/**
 * The time limits of reflectors, the same for all reflectors of a process.
 *
 * @param startSpread the maximum random delay of the start (list-watch.md#bo-7)
 * @param internalErrors how long a watch is retried after internal errors of the server, before a
 *     list (list-watch.md#up-38)
 * @param initialSilence the maximum pause of a watch-list before its initial events are complete,
 *     in case the server does not support watch-lists (list-watch.md#up-28)
 * @param auditInterval the interval between comparisons of the mirror with the server, zero for
 *     none (list-watch.md#ca-6)
 */
public record ReflectorTimeouts(
        Duration startSpread,
        Duration internalErrors,
        Duration initialSilence,
        Duration auditInterval) {

    /**
     * Returns the defaults: no start delay, 30 s of internal errors or initial silence, and no
     * audits.
     */
    public static ReflectorTimeouts defaults() {
        return new ReflectorTimeouts(
                Duration.ZERO, Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ZERO);
    }
}
