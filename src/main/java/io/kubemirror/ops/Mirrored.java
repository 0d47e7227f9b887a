package io.kubemirror.ops;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.reflector.Account;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorCounts.Counter;

import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * A mirror and what its reflector tells of itself.
 *
 * @param mirror the mirror
 * @param account the way so far
 * @param counts how often something has happened
 */
public record Mirrored(Mirror mirror, Supplier<Account> account, ToLongFunction<Counter> counts) {

    /** What a reflector works on, and the reflector. */
    public static Mirrored by(Reflector reflector) {
        return new Mirrored(reflector.mirror(), reflector::account, reflector.counts()::get);
    }

    /** How many changes the server has sent; bookmarks are none. */
    long received() {
        return counts.applyAsLong(Counter.EVENTS_ADDED)
                + counts.applyAsLong(Counter.EVENTS_MODIFIED)
                + counts.applyAsLong(Counter.EVENTS_DELETED);
    }
}
