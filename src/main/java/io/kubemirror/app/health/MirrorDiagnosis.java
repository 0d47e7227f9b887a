package io.kubemirror.app.health;

import static java.util.Comparator.comparingLong;

import module java.base;

import io.kubemirror.api.watch.WatchRegistry.WatcherInfo;
import io.kubemirror.app.health.ProcessDescription.Mirrored;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.model.Names;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorStatus;
import io.kubemirror.reflector.ReflectorStatus.StateChange;
import io.kubemirror.reflector.ReflectorStatus.Synchronization;

import org.jspecify.annotations.Nullable;

/**
 * The diagnosis of one mirror. Contains neither contents nor names of objects.
 *
 * @param name the name in logs, such as {@code pods} or {@code pods/kube-system}
 * @param resource the resource as configured
 * @param namespace the namespace, empty for all
 * @param selector the selectors, empty for everything
 * @param state the state of the reflector
 * @param content what the mirror holds
 * @param sync how its content is fetched
 * @param stateChanges the last changes of its state, oldest first; empty if it shows others
 *     together
 * @param window the history
 * @param watchers the open watches
 * @param counts all counters except zeros, named like the metrics
 */
public record MirrorDiagnosis(
        String name,
        String resource,
        String namespace,
        String selector,
        MirrorState state,
        ContentStatus content,
        SyncStatus sync,
        List<StateChange> stateChanges,
        HistoryStatus window,
        WatcherStatuses watchers,
        Map<String, Long> counts) {

    static MirrorDiagnosis of(Mirrored mirrored, ProcessDescription process, Instant now) {
        Mirror mirror = mirrored.mirror();
        ReflectorStatus status = mirrored.status().get();
        return new MirrorDiagnosis(
                mirror.scope().toString(),
                mirror.scope().resource().text(),
                mirror.scope().namespace(),
                mirror.scope().selectors(),
                MirrorState.of(mirrored, process, now),
                new ContentStatus(
                        mirror.snapshot().map(Snapshot::size).orElse(0),
                        mirror.bytes(),
                        mirror.revision().digits()),
                new SyncStatus(
                        Names.kebab(status.strategy()), status.synchronization().orElse(null)),
                status.stateChanges(),
                new HistoryStatus(
                        mirror.view().recent().changes(),
                        mirror.view().recent().bytes(),
                        seconds(mirror.view().recent().span()),
                        mirror.floor().digits()),
                WatcherStatuses.of(process.watchers().apply(mirror)),
                counts(mirrored.counts()));
    }

    /** Returns the name for people, such as {@code pods in shop app=db}. */
    String title() {
        String where = namespace.isEmpty() ? resource : resource + " in " + namespace;
        return selector.isEmpty() ? where : where + " " + selector;
    }

    /** Returns when the present problem began, or the present phase if there is none. */
    Instant since() {
        StateChange last = stateChanges.isEmpty() ? null : stateChanges.getLast();
        return last != null && last.problem().equals(state.problem()) ? last.at() : state.since();
    }

    private static Map<String, Long> counts(ToLongFunction<Counter> counters) {
        Map<String, Long> counts = new TreeMap<>();
        for (Counter counter : Counter.values()) {
            long count = counters.applyAsLong(counter);
            if (count > 0) {
                counts.put(MirrorMetrics.series(counter), count);
            }
        }
        return counts;
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    /**
     * The state of a mirror and of its connection to the API server.
     *
     * @param phase what the reflector is doing
     * @param since when the phase began
     * @param synced whether the mirror can serve requests
     * @param lastContact when the server last showed that the content is current
     * @param contactAgeSeconds the time since then, an upper bound for the age of the mirror
     * @param lost whether the server has given no answer for ten minutes
     * @param problem the current problem
     * @param lastError the last problem among the state changes, even if it is solved
     */
    public record MirrorState(
            String phase,
            Instant since,
            boolean synced,
            @Nullable Instant lastContact,
            @Nullable Double contactAgeSeconds,
            boolean lost,
            @Nullable String problem,
            @Nullable StateChange lastError) {

        static MirrorState of(Mirrored mirrored, ProcessDescription process, Instant now) {
            Mirror mirror = mirrored.mirror();
            UpstreamStatus upstream = mirror.upstream();
            Instant contact = upstream.contact();
            boolean never = contact.equals(Instant.EPOCH);
            return new MirrorState(
                    Names.kebab(upstream.phase()),
                    upstream.since(),
                    mirror.isSynced(),
                    never ? null : contact,
                    never ? null : Math.max(0, seconds(Duration.between(contact, now))),
                    process.isLost(mirror, now),
                    orNull(upstream.problem()),
                    lastError(mirrored.status().get().stateChanges()));
        }

        private static @Nullable StateChange lastError(List<StateChange> changes) {
            return changes.reversed().stream()
                    .filter(change -> !change.problem().isEmpty())
                    .findFirst()
                    .orElse(null);
        }
    }

    /** The number of objects of a mirror, their size, and its revision. */
    public record ContentStatus(int objects, long bytes, String revision) {}

    /**
     * How the content of a mirror is fetched.
     *
     * @param strategy the configured strategy
     * @param last the last complete synchronization
     */
    public record SyncStatus(String strategy, @Nullable Synchronization last) {}

    /**
     * The history of a mirror.
     *
     * @param changes the number of changes that a watch can still read
     * @param bytes the memory that only they need
     * @param spanSeconds the time between the oldest and the newest
     * @param floor the smallest revision that a watch can start from
     */
    public record HistoryStatus(long changes, long bytes, double spanSeconds, String floor) {}

    /**
     * The open watches of a mirror.
     *
     * @param open their number
     * @param waiting the number of watches with data that the client has not taken yet
     * @param mostBehind the number of pending changes of the slowest of these
     * @param shown some of them, the slowest first
     * @param more the number of watches that are not shown
     */
    public record WatcherStatuses(
            int open, int waiting, long mostBehind, List<WatcherInfo> shown, int more) {

        private static final int MAX = 20;

        private static WatcherStatuses of(List<WatcherInfo> watchers) {
            List<WatcherInfo> all =
                    watchers.stream()
                            .sorted(
                                    comparingLong(WatcherInfo::behind)
                                            .reversed()
                                            .thenComparing(WatcherInfo::since))
                            .toList();
            int waiting = (int) all.stream().filter(watcher -> watcher.behind() > 0).count();
            List<WatcherInfo> shown = all.stream().limit(MAX).toList();
            long most = shown.isEmpty() ? 0 : shown.getFirst().behind();
            return new WatcherStatuses(all.size(), waiting, most, shown, all.size() - shown.size());
        }
    }
}
