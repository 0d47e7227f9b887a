package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorStatus;

/**
 * A mirror together with the status of its reflector.
 *
 * @param mirror the mirror
 * @param status the current status of the reflector
 * @param counts returns the value of a reflector's counter
 */
public record Mirrored(
        Mirror mirror, Supplier<ReflectorStatus> status, ToLongFunction<Counter> counts) {

    /** Creates an instance from what keeps a mirror up to date. */
    public static Mirrored by(Reflector updater) {
        return new Mirrored(updater.mirror(), updater::reflectorStatus, updater.counts()::get);
    }
}
