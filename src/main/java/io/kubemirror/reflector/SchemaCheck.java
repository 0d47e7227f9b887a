package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;

/**
 * Detects that the server shows the objects in another way than when they were listed, although
 * their revisions are the same (list-watch.md#up-48). Used by the reflector's thread.
 *
 * <p>A server ends the watches of a type whose definition changes, and all of them when it is
 * replaced. So the check is due when a watch has ended before its time, and costs a quiet server
 * nothing. It is made while the next watch is open: a change after the answer ends that watch, too.
 *
 * <p>Rejected: a list after each end of a watch before its time. Proxies end idle watches, and all
 * clients of a server that restarts would list at the same time.
 */
final class SchemaCheck {

    /**
     * For this long after a change, each end of a watch before its time leads to a list: several
     * servers behind one address do not learn of a change at the same time.
     */
    private static final Duration SETTLING = Duration.ofMinutes(1);

    private static final String UNKNOWN = "unknown";

    private final StateMachine machine;

    /** Whether the server may show the objects in another way. */
    private boolean due;

    /** What the next list will have, or an earlier one. */
    private String found = "";

    private Instant settled = Instant.MIN;

    SchemaCheck(StateMachine machine) {
        this.machine = machine;
    }

    /** Records that a watch has ended before its time, or could not be opened. */
    void suspect() {
        due = true;
    }

    /** Returns whether the schema must be {@linkplain #isSame compared} before the watch counts. */
    boolean isDue() {
        return due;
    }

    /** Returns whether the server shows the objects as the mirror has them. Sends a request. */
    boolean isSame(ResourceCollection collection) {
        found =
                machine.source.schema(collection) instanceof Result.Success(var schema)
                        ? schema
                        : UNKNOWN;
        due = false;
        Mirror mirror = machine.writer.mirror();
        boolean same = !found.equals(UNKNOWN) && found.equals(mirror.declaredFields().schema());
        if (!same && (mirror.snapshot().isPresent() || !collection.type().builtIn())) {
            settled = machine.reporter.now().plus(SETTLING);
        }
        return same && !machine.reporter.now().isBefore(settled);
    }

    /** Records that a list is about to become the content of the mirror. */
    void listed() {
        Mirror mirror = machine.writer.mirror();
        mirror.type()
                .ifPresent(
                        type -> machine.writer.identify(type, mirror.declaredFields().by(found)));
    }
}
