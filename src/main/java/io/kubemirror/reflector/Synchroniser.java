package io.kubemirror.reflector;

import io.kubemirror.mirror.Resync;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.State.From;

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

    void complete(Resync resync, Revision revision) {
        equipment.counts().count(Counter.LISTS_COMPLETED);
        equipment.setbacks().listed();
        switch (resync.complete(revision)) {
            case Resync.Result.First _ -> {}
            case Resync.Result.Bridged _ -> equipment.counts().count(Counter.RESYNCS_BRIDGED);
            case Resync.Result.Broken _ -> {
                equipment.counts().count(Counter.RESYNCS_BROKEN);
                equipment.journal().broken();
            }
        }
        equipment.summons().answered();
        equipment.journal().contacted();
    }
}
