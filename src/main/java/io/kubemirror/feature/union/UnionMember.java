package io.kubemirror.feature.union;

import module java.base;

import io.kubemirror.mirror.Coverage.UnknownStates;
import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.SnapshotPins.Pin;
import io.kubemirror.mirror.Subscription;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.mirror.View;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;

/** A member of a union, and how far the union has read it. Used by the thread of the union only. */
final class UnionMember implements AutoCloseable {

    private final Mirror source;
    private final Mirror union;
    private final Runnable abort;
    private final Subscription subscription;
    private View seen;

    /** The position in its log at the revision of the union, null if that is gone. */
    private @Nullable Cursor cursor;

    /** Whether it has begun a new history since the union read its content. */
    private boolean broken;

    /** The changes after the cursor, and the position of the first. */
    private final List<Change> changes = new ArrayList<>();

    private long position;
    private @Nullable Pin pin;

    /**
     * Subscribes to a member.
     *
     * @param union the union, whose state depends on that of the member
     * @param wake called on a thread of the member when it has changed; must return at once
     * @param abort called by the writer of the member when the state that the union holds takes too
     *     much memory; must return at once
     */
    UnionMember(Mirror source, Mirror union, Runnable wake, Runnable abort) {
        this.source = source;
        this.union = union;
        this.abort = abort;
        this.seen = source.view();
        this.subscription = source.subscribe(Selection.everything(), wake::run);
        source.addDependent(union);
    }

    Mirror source() {
        return source;
    }

    /** Takes the newest view, and gives up the position in a history that has ended. */
    void look() {
        seen = source.view();
        if (cursor != null && cursor.era() != seen.era()) {
            end();
        }
    }

    private void end() {
        lose();
        broken = true;
    }

    /** Returns the view that was taken last. */
    View seen() {
        return seen;
    }

    /** Waits for what is published after that view; returns false if something is already. */
    boolean arm() {
        return subscription.arm(seen.cursor());
    }

    /** Returns whether its log continues from the revision of the union. */
    boolean isJoined() {
        return cursor != null;
    }

    boolean isBroken() {
        return broken;
    }

    /** Continues from the state at a revision, which the union has read from {@link #at}. */
    void join(Revision revision) {
        cursor = new Cursor(seen.whole(revision), seen.era());
        broken = false;
        pin(revision);
    }

    /** Gives up the position in its log. */
    void lose() {
        cursor = null;
        changes.clear();
    }

    /**
     * Reads all that follows in its log up to a revision, at most that of the view that was taken.
     * Gives up the position if the log does not lead there.
     *
     * <p>One reading is not enough: it may end where the state of another member is unknown, and
     * the union would never get past it.
     */
    void read(Revision target) {
        changes.clear();
        Cursor next = cursor;
        do {
            next = next == null ? null : readOn(next);
        } while (next != null && next.revision().isBefore(target));
    }

    private @Nullable Cursor readOn(Cursor from) {
        switch (source.read(from)) {
            case Reading.Progress(var read, var next) -> {
                if (changes.isEmpty()) {
                    position = read.isEmpty() ? next.position() : read.getFirst().sequence();
                }
                read.forEach(logged -> changes.add(logged.change()));
                return next;
            }
            case Reading.Expired _, Reading.Gap _ -> lose();
            case Reading.Ended _ -> end();
        }
        return null;
    }

    /**
     * Returns the latest revision up to the given one whose state is known. Of a mirror that polls,
     * only the listed states are, so that a union of several would never advance.
     */
    Revision latestKnown(Revision revision) {
        Revision latest = revision;
        if (source.upstream().phase() != Phase.POLLING) {
            for (UnknownStates states : seen.recent().coverage().unknown().reversed()) {
                latest = states.contains(latest) ? states.from() : latest;
            }
        }
        return latest;
    }

    /**
     * Returns the states between two revisions that it has missed. A client of several mirrors that
     * poll could hardly ever resume, so states of these count as known.
     */
    Stream<UnknownStates> missed(Revision from, Revision to) {
        return source.upstream().phase() == Phase.POLLING
                ? Stream.empty()
                : seen.recent().coverage().unknown().stream()
                        .filter(states -> states.to().isAfter(from) && states.from().isBefore(to));
    }

    /**
     * Returns the changes of all members up to a revision in their order, and continues after them.
     * Deletions of one transaction have the same revision. Empty if other changes do: a member that
     * has missed a deletion gives it a revision that is free in the member, but not necessarily in
     * the others (list-watch.md#re-6, #wi-6).
     */
    static Optional<List<Change>> take(List<UnionMember> members, Revision until) {
        List<Change> all =
                members.stream()
                        .flatMap(member -> member.take(until).stream())
                        .sorted(
                                Comparator.comparing(Change::revision)
                                        .thenComparingInt(change -> change.revision().part()))
                        .toList();
        boolean isOrdered =
                IntStream.range(1, all.size())
                        .allMatch(i -> isOrdered(all.get(i - 1), all.get(i), members));
        return isOrdered ? Optional.of(all) : Optional.empty();
    }

    private static boolean isOrdered(Change one, Change next, List<UnionMember> members) {
        Revision shared = one.revision();
        return next.revision().isAfter(shared)
                || (one instanceof Change.Deleted
                        && next instanceof Change.Deleted
                        && members.stream().noneMatch(member -> member.hasListed(shared)));
    }

    /** Whether it may have given a revision to a deletion that it has missed. */
    private boolean hasListed(Revision revision) {
        return seen.recent().coverage().unknown().stream()
                .anyMatch(
                        states ->
                                revision.isAfter(states.from()) && !revision.isAfter(states.to()));
    }

    private List<Change> take(Revision until) {
        // A bridge begins after all that is known of a revision.
        Revision known = until.whole();
        List<Change> taken =
                changes.stream().takeWhile(change -> !change.revision().follows(known)).toList();
        Revision last = taken.isEmpty() ? until : taken.getLast().revision();
        Revision reached = Revision.later(last, until);
        cursor = new Cursor(reached, seen.era(), position + taken.size());
        changes.clear();
        return taken;
    }

    /** Returns the state at a revision, empty if it is not available. */
    Optional<Snapshot> at(Revision revision) {
        return seen.reaches(revision) ? seen.at(seen.whole(revision)) : Optional.empty();
    }

    /**
     * Returns the objects at a revision of which a union has another state, without those it lacks.
     */
    Stream<KubeObject> newerThan(Snapshot union, Revision revision) {
        return at(revision).stream()
                .flatMap(present -> present.objects().stream())
                .filter(
                        object -> {
                            KubeObject known = union.get(object.key()).orElse(null);
                            return known != null && !known.isSameState(object);
                        });
    }

    /** Accounts for the state at a revision, which the union holds when the member moves on. */
    void pin(Revision revision) {
        Pin next = source.pin(revision, abort);
        unpin();
        pin = next;
    }

    private void unpin() {
        if (pin != null) {
            pin.close();
            pin = null;
        }
    }

    /** Gives up the position and the state. */
    void release() {
        lose();
        unpin();
    }

    @Override
    public void close() {
        release();
        subscription.close();
        source.removeDependent(union);
    }
}
