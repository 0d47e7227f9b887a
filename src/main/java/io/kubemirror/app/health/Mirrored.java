package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.reflector.MirrorUpdater;
import io.kubemirror.reflector.MirrorUpdater.ReflectorStatus;
import io.kubemirror.reflector.ReflectorCounts.Counter;

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
    public static Mirrored by(MirrorUpdater updater) {
        return new Mirrored(updater.mirror(), updater::reflectorStatus, updater.counts()::get);
    }
}
