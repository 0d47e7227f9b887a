package io.kubemirror.reflector;

import java.time.Duration;

/**
 * How long a reflector waits for what, the same for all reflectors of a process.
 *
 * @param startSpread how long the start is put off at most, at random (BO-7)
 * @param internalErrors how long a watch is tried again after internal errors of the server, before
 *     a list is asked for (UP-38)
 * @param auditInterval how often the mirror is compared with the server, zero for never (CA-6)
 */
public record Patience(Duration startSpread, Duration internalErrors, Duration auditInterval) {

    /** A start at once, 30 s of internal errors, and no audits. */
    public static Patience usual() {
        return new Patience(Duration.ZERO, Duration.ofSeconds(30), Duration.ZERO);
    }
}
