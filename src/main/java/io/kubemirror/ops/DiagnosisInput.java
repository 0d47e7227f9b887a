package io.kubemirror.ops;

import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.WatcherDirectory;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorStatus;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * What operators look at.
 *
 * @param mirrors the mirrors in the order of the configuration
 * @param watchers knows who follows them
 * @param setup what never changes
 * @param memory the memory budget of the process
 * @param clock tells the time
 */
public record DiagnosisInput(
        List<Mirrored> mirrors,
        WatcherDirectory watchers,
        Setup setup,
        MemoryBudget memory,
        InstantSource clock) {

    /** Copies the list. */
    public DiagnosisInput {
        mirrors = List.copyOf(mirrors);
    }

    /** The mirrors alone. */
    public List<Mirror> plain() {
        return mirrors.stream().map(Mirrored::mirror).toList();
    }

    /**
     * What operators are told of this process that never changes.
     *
     * @param version the version of kubemirror
     * @param upstream the API server's address and where the credentials come from, without any
     *     secret
     * @param api tells where the Kubernetes API is served, once it is
     * @param settings the settings that matter, by property, without any secret
     */
    public record Setup(
            String version, String upstream, Supplier<String> api, Map<String, String> settings) {}

    /**
     * A mirror and what its reflector tells of itself.
     *
     * @param mirror the mirror
     * @param status the way so far
     * @param counts how often something has happened
     */
    public record Mirrored(
            Mirror mirror, Supplier<ReflectorStatus> status, ToLongFunction<Counter> counts) {

        /** What a reflector works on, and the reflector. */
        public static Mirrored by(Reflector reflector) {
            return new Mirrored(
                    reflector.mirror(), reflector::reflectorStatus, reflector.counts()::get);
        }

        /** How many changes the server has sent; bookmarks are none. */
        public long received() {
            return counts.applyAsLong(Counter.EVENTS_ADDED)
                    + counts.applyAsLong(Counter.EVENTS_MODIFIED)
                    + counts.applyAsLong(Counter.EVENTS_DELETED);
        }
    }
}
