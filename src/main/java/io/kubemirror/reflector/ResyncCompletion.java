package io.kubemirror.reflector;

import io.kubemirror.mirror.Resync;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorState.SyncStart;

import java.time.Duration;
import java.time.Instant;

/**
 * The end of every synchronisation, however the state was fetched: makes it the mirror's content.
 */
final class ResyncCompletion {

    private final ReflectorContext context;

    ResyncCompletion(ReflectorContext context) {
        this.context = context;
    }

    /** Where a state arrives that was asked for like this. */
    Resync resync(SyncStart from) {
        return from instanceof SyncStart.Confirming
                ? context.writer().resyncAfterLoss()
                : context.writer().resync();
    }

    /**
     * Whether a state may become the content: one older than the mirror only after it was met twice
     * (list-watch.md#go-52), since a lagging replica answers like a server that was restored from a
     * backup.
     */
    boolean isPlausible(Revision revision, SyncStart from) {
        boolean backwards = revision.isBefore(context.writer().mirror().revision());
        return !backwards || from instanceof SyncStart.Confirming;
    }

    /** What to ask for after a failure: the same, unless the revision itself has become suspect. */
    SyncStart retry(SyncStart from) {
        return context.retryState().tooMany() ? new SyncStart.MostRecent() : from;
    }

    /**
     * Makes a state the content.
     *
     * @param revision what it is true at
     * @param how the way it was fetched
     * @param began since when
     */
    void complete(Resync resync, Revision revision, TimedSpan how, Instant began) {
        context.counts().count(Counter.LISTS_COMPLETED);
        context.retryState().listed();
        switch (resync.complete(revision)) {
            case Resync.Result.First _ -> {}
            case Resync.Result.Bridged bridged -> {
                context.counts().count(Counter.RESYNCS_BRIDGED);
                context.counts().add(Counter.RESYNC_CHANGES, bridged.changes());
            }
            case Resync.Result.Broken _ -> {
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
