package io.kubemirror.reflector;

import io.kubemirror.mirror.Resync;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorState.SyncStart;

import java.time.Duration;
import java.time.Instant;

/**
 * Completes a synchronization: makes the fetched state the content of the mirror, however it was
 * fetched.
 */
final class ResyncCompletion {

    private final ReflectorContext context;

    ResyncCompletion(ReflectorContext context) {
        this.context = context;
    }

    /** Begins a synchronization for a state that was requested in the given way. */
    Resync resync(SyncStart from) {
        return from instanceof SyncStart.Confirming
                ? context.writer().resyncAfterLoss()
                : context.writer().resync();
    }

    /**
     * Returns whether a state may become the content. A state older than the mirror may only after
     * it was received twice (list-watch.md#go-52), since a lagging replica answers like a server
     * that was restored from a backup.
     */
    boolean isPlausible(Revision revision, SyncStart from) {
        boolean backwards = revision.isBefore(context.writer().mirror().revision());
        return !backwards || from instanceof SyncStart.Confirming;
    }

    /** Returns what to ask for after a failure: the same, unless the revision itself is suspect. */
    SyncStart retry(SyncStart from) {
        return context.retryState().tooMany() ? new SyncStart.MostRecent() : from;
    }

    /**
     * Makes a state the content.
     *
     * @param revision the revision of the state
     * @param how how it was fetched
     * @param began when the request began
     */
    void complete(Resync resync, Revision revision, TimedSpan how, Instant began) {
        context.counts().count(Counter.LISTS_COMPLETED);
        context.retryState().listed();
        switch (resync.complete(revision)) {
            case Resync.Completion.First _ -> {}
            case Resync.Completion.Bridged bridged -> {
                context.counts().count(Counter.RESYNCS_BRIDGED);
                context.counts().add(Counter.RESYNC_CHANGES, bridged.changes());
            }
            case Resync.Completion.Broken _ -> {
                context.counts().count(Counter.RESYNCS_BROKEN);
                context.reporter().broken();
            }
        }
        context.resyncRequest().answered();
        context.reporter().contacted();
        Duration took = Duration.between(began, context.now());
        context.counts().time(how, took);
        context.reporter().synced(how, took);
    }
}
