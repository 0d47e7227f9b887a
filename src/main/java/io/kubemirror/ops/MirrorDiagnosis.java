package io.kubemirror.ops;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The diagnosis of one mirror. Contains no names and no content of objects.
 *
 * @param name the name in logs, such as {@code pods} or {@code pods/kube-system}
 * @param path the path that serves it, null until its type is known
 * @param state the state of the reflector
 * @param content what the mirror holds
 * @param sync how its content is fetched
 * @param access what the API server permits, by verb
 * @param window the history
 * @param watchers the open watches
 * @param counts all counters except zeros, named like the metrics
 */
record MirrorDiagnosis(
        String name,
        @Nullable String path,
        MirrorState state,
        ContentStatus content,
        SyncStatus sync,
        Map<String, AccessStatus> access,
        HistoryStatus window,
        Watchers watchers,
        Map<String, Long> counts) {

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
    record MirrorState(
            String phase,
            Instant since,
            boolean synced,
            @Nullable Instant lastContact,
            @Nullable Double contactAgeSeconds,
            @Nullable String problem,
            @Nullable LastError lastError) {}

    /**
     * A problem of the past.
     *
     * @param at when it occurred
     * @param problem the description
     */
    record LastError(Instant at, String problem) {}

    /**
     * The content of a mirror.
     *
     * @param objects the number of objects
     * @param bytes their size
     * @param revision the revision of this content
     */
    record ContentStatus(int objects, long bytes, String revision) {}

    /**
     * How the content of a mirror is fetched.
     *
     * @param strategy the configured strategy
     * @param lessons the known capabilities of the server, which determine what {@code auto} does
     * @param last the last complete synchronization
     */
    record SyncStatus(String strategy, List<String> lessons, @Nullable LastSync last) {}

    /**
     * A synchronization.
     *
     * @param how the strategy
     * @param at when it was complete
     * @param seconds its duration
     */
    record LastSync(String how, Instant at, double seconds) {}

    /**
     * The decision of the API server about a kind of request.
     *
     * @param allowed whether it is allowed, null if unknown
     * @param reason why it is not allowed or unknown
     */
    record AccessStatus(@Nullable Boolean allowed, @Nullable String reason) {}

    /**
     * The history of a mirror.
     *
     * @param changes the number of changes that a watch can still read
     * @param bytes the memory that only they need
     * @param spanSeconds the time between the oldest and the newest
     * @param floor the smallest revision that a watch can start from
     */
    record HistoryStatus(long changes, long bytes, double spanSeconds, String floor) {}

    /**
     * The open watches of a mirror.
     *
     * @param open their number
     * @param waiting the number of watches with data that the client has not taken yet
     * @param mostBehind the number of pending changes of the slowest of these
     * @param shown some of them, the slowest first
     * @param more the number of watches that are not shown
     */
    record Watchers(int open, int waiting, long mostBehind, List<WatcherStatus> shown, int more) {}

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
    record WatcherStatus(
            String client,
            @Nullable String agent,
            @Nullable String selection,
            Instant since,
            String revision,
            long behind,
            double lateSeconds,
            long events,
            long bytes) {}
}
