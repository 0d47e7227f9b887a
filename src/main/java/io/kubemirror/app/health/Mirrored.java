package io.kubemirror.app.health;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorStatus;
import io.kubemirror.reflector.UnionReflector;

import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * A mirror together with the status of its reflector.
 *
 * @param mirror the mirror
 * @param status the current status of the reflector
 * @param counts returns the value of a reflector's counter
 */
public record Mirrored(
        Mirror mirror, Supplier<ReflectorStatus> status, ToLongFunction<Counter> counts) {

    /** Creates an instance from a reflector. */
    public static Mirrored by(Reflector reflector) {
        return new Mirrored(
                reflector.mirror(), reflector::reflectorStatus, reflector.counts()::get);
    }

    /** Creates an instance from a union of mirrors, which receives nothing itself. */
    public static Mirrored by(UnionReflector union) {
        return new Mirrored(union.mirror(), union::reflectorStatus, union.counts()::get);
    }
}
