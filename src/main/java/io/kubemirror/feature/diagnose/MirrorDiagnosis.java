package io.kubemirror.feature.diagnose;

import io.kubemirror.app.Mirrored;
import io.kubemirror.app.health.CounterSeries;
import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.mirror.Reading;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.WatcherDirectory;
import io.kubemirror.mirror.WatcherDirectory.WatcherInfo;
import io.kubemirror.model.Names;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorStatus;
import io.kubemirror.reflector.ReflectorStatus.Synchronization;

import org.jspecify.annotations.Nullable;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The diagnosis of one mirror. Contains no content of objects, and their names only on request.
 *
 * @param name the name in logs, such as {@code pods} or {@code pods/kube-system}
 * @param path the path that serves it, with its selectors; null until its type is known
 * @param state the state of the reflector
 * @param content what the mirror holds
 * @param sync how its content is fetched
 * @param stateChanges the last changes of its state, oldest first; empty for a union
 * @param access what the API server permits, by verb
 * @param window the history
 * @param watchers the open watches
 * @param counts all counters except zeros, named like the metrics
 * @param busiest the objects with the most changes in the history, the first the busiest; null
 *     unless requested, because it names objects
 */
public record MirrorDiagnosis(
        String name,
        @Nullable String path,
        MirrorState state,
        ContentStatus content,
        SyncStatus sync,
        List<ReflectorStatus.StateChange> stateChanges,
        Map<String, AccessStatus> access,
        HistoryStatus window,
        Watchers watchers,
        Map<String, Long> counts,
        @Nullable List<BusyObject> busiest) {

    /**
     * Creates the diagnosis of a mirror.
     *
     * @param watchers the open watches of all mirrors
     * @param access what the API server permits, by mirror and verb
     * @param objects whether to name the objects that change most
     */
    public static MirrorDiagnosis of(
            Mirrored mirrored,
            WatcherDirectory watchers,
            Map<Mirror, Map<String, AccessStatus>> access,
            boolean objects,
            Instant now) {
        Mirror mirror = mirrored.mirror();
        return new MirrorDiagnosis(
                mirror.scope().toString(),
                path(mirror),
                MirrorState.of(mirrored, now),
                ContentStatus.of(mirror),
                SyncStatus.of(mirrored.status().get()),
                mirrored.status().get().stateChanges(),
                access.getOrDefault(mirror, Map.of()),
                HistoryStatus.of(mirror),
                Watchers.of(watchers.of(mirror)),
                counts(mirrored),
                objects ? BusyObject.of(mirror) : null);
    }

    /** A request without the selectors would ask for more than the mirror has, and get 403. */
    private static @Nullable String path(Mirror mirror) {
        Selection selection = mirror.scope().selection();
        String query =
                Stream.of(
                                parameter("labelSelector", selection.labels().text()),
                                parameter("fieldSelector", selection.fields().text()))
                        .filter(parameter -> !parameter.isEmpty())
                        .collect(Collectors.joining("&"));
        return mirror.type()
                .map(type -> type.collectionPath(selection.namespace()))
                .map(path -> query.isEmpty() ? path : path + "?" + query)
                .orElse(null);
    }

    private static String parameter(String name, String value) {
        return value.isEmpty() ? "" : name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    private static Map<String, Long> counts(Mirrored mirrored) {
        Map<String, Long> counts = new TreeMap<>();
        for (Counter counter : Counter.values()) {
            long count = mirrored.counts().applyAsLong(counter);
            if (count > 0) {
                String series = CounterSeries.of(counter).name();
                counts.put(series.substring("kubemirror.".length()), count);
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
     * @param lastContact the time of the last response of the server
     * @param contactAgeSeconds the age of that response, an upper bound for the age of the mirror
     * @param problem the current problem
     * @param lastError the last problem, even if it is solved
     */
    public record MirrorState(
            String phase,
            Instant since,
            boolean synced,
            @Nullable Instant lastContact,
            @Nullable Double contactAgeSeconds,
            @Nullable String problem,
            ReflectorStatus.@Nullable Trouble lastError) {

        /** Returns the present state. */
        public static MirrorState of(Mirrored mirrored, Instant now) {
            UpstreamStatus upstream = mirrored.mirror().upstream();
            Instant contact = upstream.contact();
            boolean never = contact.equals(Instant.EPOCH);
            return new MirrorState(
                    Names.kebab(upstream.phase()),
                    upstream.since(),
                    mirrored.mirror().isSynced(),
                    never ? null : contact,
                    never ? null : Math.max(0, seconds(Duration.between(contact, now))),
                    orNull(upstream.problem()),
                    mirrored.status().get().trouble().orElse(null));
        }
    }

    /**
     * The content of a mirror.
     *
     * @param objects the number of objects
     * @param bytes their size
     * @param revision the revision of this content
     */
    public record ContentStatus(int objects, long bytes, String revision) {

        /** Returns the present content. */
        public static ContentStatus of(Mirror mirror) {
            int objects = mirror.snapshot().map(Snapshot::size).orElse(0);
            return new ContentStatus(objects, mirror.bytes(), mirror.revision().digits());
        }
    }

    /**
     * How the content of a mirror is fetched.
     *
     * @param strategy the configured strategy
     * @param serverCapabilities the known capabilities of the server, which determine what {@code
     *     auto} does
     * @param last the last complete synchronization
     */
    public record SyncStatus(
            String strategy, List<String> serverCapabilities, @Nullable Synchronization last) {

        private static SyncStatus of(ReflectorStatus status) {
            return new SyncStatus(
                    Names.kebab(status.strategy()),
                    status.serverCapabilities(),
                    status.synchronization().orElse(null));
        }
    }

    /**
     * The decision of the API server about a kind of request.
     *
     * @param allowed whether it is allowed, null if unknown
     * @param reason why it is not allowed or unknown
     */
    public record AccessStatus(@Nullable Boolean allowed, @Nullable String reason) {}

    /**
     * The history of a mirror.
     *
     * @param changes the number of changes that a watch can still read
     * @param bytes the memory that only they need
     * @param spanSeconds the time between the oldest and the newest
     * @param floor the smallest revision that a watch can start from
     */
    public record HistoryStatus(long changes, long bytes, double spanSeconds, String floor) {

        /** Returns the present history. */
        public static HistoryStatus of(Mirror mirror) {
            return new HistoryStatus(
                    mirror.windowChanges(),
                    mirror.windowBytes(),
                    MirrorDiagnosis.seconds(mirror.windowSpan()),
                    mirror.floor().digits());
        }
    }

    /**
     * An object that changes often.
     *
     * @param object the namespace and the name
     * @param changes the number of its changes in the history
     */
    public record BusyObject(String object, long changes) {

        private static final int MAX = 5;

        /** Counts the changes in the history, oldest first, as a watch from its floor gets them. */
        private static List<BusyObject> of(Mirror mirror) {
            Map<ObjectKey, Long> counts = new HashMap<>();
            if (mirror.start(mirror.floor()) instanceof StartPosition.From(Cursor start)) {
                Cursor cursor = start;
                while (mirror.read(cursor) instanceof Reading.Progress(var changes, var next)
                        && !changes.isEmpty()) {
                    changes.forEach(logged -> counts.merge(logged.change().key(), 1L, Long::sum));
                    cursor = next;
                }
            }
            return counts.entrySet().stream()
                    .map(entry -> new BusyObject(entry.getKey().toString(), entry.getValue()))
                    .sorted(
                            Comparator.comparingLong(BusyObject::changes)
                                    .reversed()
                                    .thenComparing(BusyObject::object))
                    .limit(MAX)
                    .toList();
        }
    }

    /**
     * The open watches of a mirror.
     *
     * @param open their number
     * @param waiting the number of watches with data that the client has not taken yet
     * @param mostBehind the number of pending changes of the slowest of these
     * @param shown some of them, the slowest first
     * @param more the number of watches that are not shown
     */
    public record Watchers(
            int open, int waiting, long mostBehind, List<WatcherStatus> shown, int more) {

        /** Maximum number of watches to list, the slowest first. */
        private static final int SHOWN = 50;

        private static Watchers of(List<WatcherInfo> watchers) {
            List<WatcherStatus> all =
                    watchers.stream()
                            .map(WatcherStatus::of)
                            .sorted(
                                    Comparator.comparingLong(WatcherStatus::behind)
                                            .reversed()
                                            .thenComparing(WatcherStatus::since))
                            .toList();
            int waiting = (int) all.stream().filter(watcher -> watcher.behind() > 0).count();
            List<WatcherStatus> shown = all.stream().limit(SHOWN).toList();
            long most = shown.isEmpty() ? 0 : shown.getFirst().behind();
            return new Watchers(all.size(), waiting, most, shown, all.size() - shown.size());
        }
    }

    /**
     * An open watch.
     *
     * @param client the address and port of the client
     * @param agent the client's User-Agent
     * @param selection the selected part of the collection
     * @param since when the watch began
     * @param revision the revision up to which events were sent
     * @param behind the number of changes that are not sent yet; 0 for a watch that waits and that
     *     none of them concerns
     * @param lateSeconds the age of the oldest of these changes
     * @param events the number of events sent, including bookmarks
     * @param bytes the number of bytes sent
     */
    public record WatcherStatus(
            String client,
            @Nullable String agent,
            @Nullable String selection,
            Instant since,
            String revision,
            long behind,
            double lateSeconds,
            long events,
            long bytes) {

        private static WatcherStatus of(WatcherInfo watcher) {
            return new WatcherStatus(
                    watcher.client(),
                    orNull(watcher.agent()),
                    orNull(watcher.selection()),
                    watcher.since(),
                    watcher.revision().digits(),
                    watcher.backlog().changes(),
                    seconds(watcher.backlog().age()),
                    watcher.events(),
                    watcher.bytes());
        }
    }
}
