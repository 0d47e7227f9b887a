package io.kubemirror.ops;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * How one mirror is. Names no object and holds nothing of their content.
 *
 * @param name the name in logs, such as {@code pods} or {@code pods/kube-system}
 * @param path where it is served, null until its type is known
 * @param state what the reflector does, since when, and what is wrong
 * @param content what the mirror holds
 * @param sync how it gets its content
 * @param access what the API server allows to be done, by verb
 * @param window the recent past
 * @param watchers who follows it
 * @param counts what has been counted since the start, but for zeros; named as the metrics are
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
     * How the mirror stands with its server.
     *
     * @param phase what the reflector does
     * @param since since when
     * @param synced whether there is something to answer with
     * @param lastContact when the server was last heard of
     * @param contactAgeSeconds how long ago that was: the mirror is at most so old
     * @param problem what is wrong now
     * @param lastError the last thing that went wrong, also if it is over
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
     * Something that went wrong.
     *
     * @param at when
     * @param problem what
     */
    record LastError(Instant at, String problem) {}

    /**
     * What the mirror holds.
     *
     * @param objects how many objects
     * @param bytes their size
     * @param revision the revision that they are true at
     */
    record ContentStatus(int objects, long bytes, String revision) {}

    /**
     * How the mirror gets its content.
     *
     * @param strategy as configured
     * @param lessons what has been learned about the server, which decides what {@code auto} does
     * @param last how the last complete synchronisation was done
     */
    record SyncStatus(String strategy, List<String> lessons, @Nullable LastSync last) {}

    /**
     * A synchronisation.
     *
     * @param how in which way
     * @param at when it was complete
     * @param seconds how long it took
     */
    record LastSync(String how, Instant at, double seconds) {}

    /**
     * What the API server says to a kind of request.
     *
     * @param allowed whether it is allowed, null if that could not be asked
     * @param reason why, or why not asked
     */
    record AccessStatus(@Nullable Boolean allowed, @Nullable String reason) {}

    /**
     * The recent past.
     *
     * @param changes how many changes a watch can still ask for
     * @param bytes the memory that only they need
     * @param spanSeconds the time between the oldest and the newest
     * @param floor the smallest revision that a watch can start from
     */
    record HistoryStatus(long changes, long bytes, double spanSeconds, String floor) {}

    /**
     * Those who follow the mirror.
     *
     * @param open how many there are
     * @param waiting to how many something is on its way, for which they have to make room
     * @param mostBehind how many changes the slowest of these has before it
     * @param shown some of them, the slowest first
     * @param more how many are not shown
     */
    record Watchers(int open, int waiting, long mostBehind, List<WatcherStatus> shown, int more) {}

    /**
     * A client that follows the mirror.
     *
     * @param client its address and port
     * @param agent what it calls itself
     * @param selection the part that it asked for
     * @param since when it began
     * @param revision how far it has come
     * @param behind how many changes it has not been sent yet; one that selects and waits has none
     *     before it that concern it
     * @param lateSeconds how long the oldest of these has been there
     * @param events how many events it was sent, bookmarks included
     * @param bytes how many bytes
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
