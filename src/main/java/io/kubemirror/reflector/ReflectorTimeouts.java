package io.kubemirror.reflector;

import java.time.Duration;

/**
 * How long a reflector waits for what, the same for all reflectors of a process.
 *
 * @param startSpread how long the start is put off at most, at random (list-watch.md#bo-7)
 * @param internalErrors how long a watch is tried again after internal errors of the server, before
 *     a list is asked for (list-watch.md#up-38)
 * @param initialSilence how long a watch-list may pause before its initial events are complete, so
 *     that a server that does not know of them is not waited for (list-watch.md#up-28)
 * @param auditInterval how often the mirror is compared with the server, zero for never
 *     (list-watch.md#ca-6)
 */
public record ReflectorTimeouts(
        Duration startSpread,
        Duration internalErrors,
        Duration initialSilence,
        Duration auditInterval) {

    /** A start at once, 30 s of internal errors or initial silence, and no audits. */
    public static ReflectorTimeouts defaults() {
        return new ReflectorTimeouts(
                Duration.ZERO, Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ZERO);
    }
}
