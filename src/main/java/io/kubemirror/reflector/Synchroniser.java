package io.kubemirror.reflector;

import io.kubemirror.mirror.Resync;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.Span;
import io.kubemirror.reflector.State.From;

import java.time.Duration;
import java.time.Instant;

/**
 * The end of every synchronisation, however the state was fetched: makes it the mirror's content.
 */
final class Synchroniser {

    private final Equipment equipment;

    Synchroniser(Equipment equipment) {
        this.equipment = equipment;
    }

    /** Where a state arrives that was asked for like this. */
    Resync resync(From from) {
        return from instanceof From.Confirming
                ? equipment.writer().resyncAfterLoss()
                : equipment.writer().resync();
    }

    /**
     * Whether a state may become the content: one older than the mirror only after it was met twice
     * (GO-52), since a lagging replica answers like a server that was restored from a backup.
     */
    boolean isCredible(Revision revision, From from) {
        boolean backwards = revision.isBefore(equipment.writer().mirror().revision());
        return !backwards || from instanceof From.Confirming;
    }

    /** What to ask for after a failure: the same, unless the revision itself has become suspect. */
    From again(From from) {
        return equipment.setbacks().tooMany() ? new From.MostRecent() : from;
    }

    /**
     * Makes a state the content.
     *
     * @param revision what it is true at
     * @param how the way it was fetched
     * @param began since when
     */
    void complete(Resync resync, Revision revision, Span how, Instant began) {
        equipment.counts().count(Counter.LISTS_COMPLETED);
        equipment.setbacks().listed();
        switch (resync.complete(revision)) {
            case Resync.Result.First _ -> {}
            case Resync.Result.Bridged bridged -> {
                equipment.counts().count(Counter.RESYNCS_BRIDGED);
                equipment.counts().add(Counter.RESYNC_CHANGES, bridged.changes());
            }
            case Resync.Result.Broken _ -> {
                equipment.counts().count(Counter.RESYNCS_BROKEN);
                equipment.journal().broken();
            }
        }
        equipment.summons().answered();
        equipment.journal().contacted();
        Duration took = Duration.between(began, equipment.now());
        equipment.counts().time(how, took);
        equipment.journal().synchronised(how, took);
    }
}
