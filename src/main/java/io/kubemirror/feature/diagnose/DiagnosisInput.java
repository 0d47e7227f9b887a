package io.kubemirror.feature.diagnose;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.WatcherDirectory;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorStatus;
import io.kubemirror.reflector.UnionReflector;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * The sources that a diagnosis reads.
 *
 * @param present returns the mirrors in the order of the configuration
 * @param watchers lists the open watches of a mirror
 * @param setup properties of the process
 * @param memory the memory budget of the process
 */
public record DiagnosisInput(
        Supplier<List<Mirrored>> present,
        WatcherDirectory watchers,
        Setup setup,
        MemoryBudget memory,
        InstantSource clock) {

    /** The present mirrors in the order of the configuration. */
    public List<Mirrored> mirrors() {
        return present.get();
    }

    /** The clock in nanoseconds, for caches. */
    public long nanos() {
        return TimeUnit.MILLISECONDS.toNanos(clock.millis());
    }

    /** The mirrors without their reflectors. */
    public List<Mirror> plain() {
        return mirrors().stream().map(Mirrored::mirror).toList();
    }

    /**
     * Properties of the process.
     *
     * @param version the version of kubemirror
     * @param upstream the API server's address and the source of the credentials, without any
     *     secret
     * @param api returns the address of the Kubernetes API, available once the server has started
     * @param settings returns the effective settings by property, without any secret
     * @param configuration whether they are those of the configuration files
     */
    public record Setup(
            String version,
            String upstream,
            Supplier<String> api,
            Supplier<Map<String, String>> settings,
            ConfigurationStatus configuration) {}

    /**
     * A mirror together with the status of its reflector.
     *
     * @param mirror the mirror
     * @param status the current status of the reflector
     * @param counts returns the value of a reflector's counter
     */
    public record Mirrored(
            Mirror mirror, Supplier<ReflectorStatus> status, ToLongFunction<Counter> counts) {

        /** Creates an instance from a reflector and its mirror. */
        public static Mirrored by(Reflector reflector) {
            return new Mirrored(
                    reflector.mirror(), reflector::reflectorStatus, reflector.counts()::get);
        }

        /** Creates an instance from a union of mirrors, which receives nothing itself. */
        public static Mirrored by(UnionReflector union) {
            return new Mirrored(union.mirror(), union::reflectorStatus, union.counts()::get);
        }

        /** The number of changes that the server has sent, without bookmarks. */
        public long received() {
            return counts.applyAsLong(Counter.EVENTS_ADDED)
                    + counts.applyAsLong(Counter.EVENTS_MODIFIED)
                    + counts.applyAsLong(Counter.EVENTS_DELETED);
        }
    }
}
