package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;

import org.jspecify.annotations.Nullable;

/**
 * Finds the states of mirrors that requests ask for, and waits for them (list-watch.md#gets,
 * #list-combinations, #paging).
 */
public final class MirroredStates {

    private final MirrorDirectory directory;
    private final RevisionProbe probe;
    private final Floors floors;

    /**
     * Creates an instance.
     *
     * @param probe requests the revision of the API server
     * @param floors what clients have seen of each mirror
     */
    public MirroredStates(MirrorDirectory directory, RevisionProbe probe, Floors floors) {
        this.directory = directory;
        this.probe = probe;
        this.floors = floors;
    }

    /**
     * What a read waits for, and how long: all waits together take no longer than one.
     *
     * @param min a revision that a present state must not be before, 0 for any
     * @param allotted the maximum duration of the request
     * @param deadline when the last wait ends, as {@link Floors#deadline} returns it
     */
    record ReadTime(Revision min, Duration allotted, long deadline) {}

    /**
     * Begins the wait of a read now.
     *
     * @throws Rejection if the request names what is not a revision
     */
    ReadTime begin(Exchange exchange) throws Rejection {
        Duration allotted = exchange.allotted();
        return new ReadTime(exchange.minRevision(), allotted, floors.deadline(allotted));
    }

    /**
     * Returns the state for a page of a list.
     *
     * @param token where the page begins, null at the beginning
     * @return empty if no state shows all that clients have seen in time
     * @throws Rejection if the requested state is not available
     * @throws InterruptedException if the thread is interrupted while it waits for the state
     */
    Optional<Snapshot> of(CollectionRequest wanted, @Nullable ContinueToken token, ReadTime time)
            throws Rejection, InterruptedException {
        ListOptions options = wanted.options();
        Mirror mirror = wanted.mirror();
        if (token != null) {
            token.position(wanted.order());
            if (!options.isOpen()) {
                throw Rejection.badRequest(
                        "specifying resource version is not allowed when using continue");
            }
            Revision shown = token.revision();
            return shown == null
                    ? present(mirror, "", time)
                    : exact(mirror, shown, expired(token), time);
        }
        String text = options.revision();
        // At the revision, or not older (list-watch.md#li-7 to #li-9).
        Revision revision = ListOptions.revision(text, mirror.revision());
        return !text.isEmpty() && wanted.isExact() && !revision.isZero()
                ? exact(mirror, revision, StatusErrors.expiredList(), time)
                : present(mirror, text, time);
    }

    private static Status expired(ContinueToken token) {
        // A position in an order means nothing in another state (list-watch.md#or-5).
        return token.order().isEmpty()
                ? StatusErrors.expiredContinue(token.inconsistent().encode())
                : StatusErrors.expiredList();
    }

    private Optional<Snapshot> exact(
            Mirror mirror, Revision revision, Status expired, ReadTime time)
            throws Rejection, InterruptedException {
        directory.stateOf(mirror);
        await(mirror, revision, time);
        return Optional.of(mirror.snapshot(revision).orElseThrow(() -> new Rejection(expired)));
    }

    /**
     * Returns a present state that is not before a revision and shows all that clients have seen;
     * empty if there is none in time (list-watch.md#fr-4, #ry-1). A mirror without content is not
     * waited for.
     *
     * @param text the revision that the request names, empty for none
     * @throws Rejection if the mirror has no content, or does not reach the revision in time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    Optional<Snapshot> present(Mirror mirror, String text, ReadTime time)
            throws Rejection, InterruptedException {
        directory.stateOf(mirror);
        Revision revision = ListOptions.revision(text, mirror.revision());
        if (revision.isAfter(Revision.later(time.min(), floors.of(mirror)))) {
            // Nobody is known to have seen it, and it may not exist.
            await(mirror, revision, time);
        }
        return floors.await(mirror, time.min(), time.deadline()).map(Mirror.Position::snapshot);
    }

    private void await(Mirror mirror, Revision revision, ReadTime time)
            throws Rejection, InterruptedException {
        if (!floors.isReached(mirror, revision, time.deadline())) {
            throw floors.isHurried(time.allotted())
                    ? new Rejection(Reply.OVERDUE)
                    : new Rejection(StatusErrors.tooLargeRevision(revision, mirror.revision()));
        }
    }

    /**
     * Returns whether a mirror reaches in time the revision that the API server has now
     * (list-watch.md#fr-3).
     *
     * @throws Rejection if the API server does not tell its revision
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    boolean isVerified(Mirror mirror, ReadTime time) throws Rejection, InterruptedException {
        if (mirror.snapshot().isEmpty()) {
            return false;
        }
        Revision newest = probe.newest(mirror, time.allotted());
        // The time of the API server does not count.
        return floors.isReached(mirror, newest, floors.deadline(time.allotted()));
    }
}
