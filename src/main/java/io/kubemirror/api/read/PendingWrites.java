package io.kubemirror.api.read;

import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;
import org.pcollections.HashPMap;
import org.pcollections.HashTreePMap;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The answered writes that one mirror may not show yet (list-watch.md#ry-1, #ry-2).
 *
 * <p>A pending write is a condition, not only a revision: a mirror of few objects hears of a
 * revision of another object only with a bookmark, about once a minute. While a write is pending,
 * each state is checked by itself, because a mirror that is behind may not show an object yet that
 * has been deleted since.
 *
 * <p>Readers take {@link #pending} before the state of the mirror and check the one against the
 * other. A write that has left the set in between was shown by an earlier state of the mirror than
 * the reader's. Changes are made under the monitor, and published as one immutable value.
 */
final class PendingWrites {

    /** The maximum number of writes. Beyond it, all of them become one. */
    static final int MOST = 1_000;

    /** The memory of a pending write with a long key, in bytes. */
    private static final int BYTES = 1_024;

    /** A write that may not be shown yet. */
    sealed interface PendingWrite {}

    /**
     * The object exists at a revision.
     *
     * @param uid its UID, empty if it is unknown
     * @param selected whether the mirror may select it
     * @param confirmed whether the API server has been asked for it after the write
     */
    record Changed(Revision at, String uid, boolean selected, boolean confirmed)
            implements PendingWrite {}

    /**
     * An object is deleted at an unknown revision.
     *
     * @param uid its UID, which no other object has
     * @param number the number of the write among all
     * @param seen whether the mirror has shown the object. A state without it is then later
     * @param before a revision after the deletion; null if none is known
     */
    record Deleted(String uid, long number, boolean seen, @Nullable Revision before)
            implements PendingWrite {}

    /**
     * The mirror does not select an object of this name at a revision.
     *
     * @param at a revision of the API server after the write
     */
    record Missing(Revision at) implements PendingWrite {}

    /**
     * Anything may have happened to the object. The API server knows.
     *
     * @param number the number of the write among all
     */
    record Unclear(long number) implements PendingWrite {}

    /**
     * What is pending at a moment.
     *
     * @param writes the writes of single objects
     * @param unclear the number of the last write that may have concerned any object, 0 for none
     * @param floor the revision that shows all other writes, 0 for none
     * @param mirrorAt the revision of the mirror when the last of them was added
     */
    record Pending(
            HashPMap<ObjectKey, PendingWrite> writes,
            long unclear,
            Revision floor,
            Revision mirrorAt) {

        static final Pending NOTHING =
                new Pending(HashTreePMap.empty(), 0, Revision.ZERO, Revision.ZERO);

        boolean isNothing() {
            return writes.isEmpty() && unclear == 0 && floor.isZero();
        }

        private Pending with(HashPMap<ObjectKey, PendingWrite> other) {
            return new Pending(other, unclear, floor, mirrorAt);
        }

        private Pending unclear(long since) {
            return new Pending(writes, since, floor, mirrorAt);
        }

        private Pending floor(Revision other) {
            return new Pending(writes, unclear, other, mirrorAt);
        }
    }

    /** What a state tells about a write. */
    private enum Evidence {
        /** It shows the write, and so do all later states. */
        SHOWN,
        /** It is as it is after the write, but a later one may not be. */
        EQUAL,
        /** It is from before the write. */
        BEFORE
    }

    private final Mirror mirror;
    private final MemoryBudget memory;
    private volatile Pending pending = Pending.NOTHING;

    /**
     * Creates an empty set.
     *
     * @param memory the budget for the writes
     */
    PendingWrites(Mirror mirror, MemoryBudget memory) {
        this.mirror = mirror;
        this.memory = memory;
    }

    /** Returns what is pending. Take it before the state that is checked. */
    Pending pending() {
        return pending;
    }

    /** Adds a write of one object. */
    synchronized void add(ObjectKey key, PendingWrite write, long number) {
        Pending before = current();
        PendingWrite earlier = before.writes.get(key);
        PendingWrite now = earlier == null ? write : merged(earlier, write, number);
        boolean full = earlier == null && before.writes.size() == MOST;
        if (full || !publish(before.with(before.writes.plus(key, seen(key, now))))) {
            publish(before.with(HashTreePMap.empty()).unclear(number));
        }
    }

    /** Adds a write that may have concerned any object. */
    synchronized void addUnclear(long number) {
        publish(current().unclear(number));
    }

    /** Adds a write of an object whose name is not known, and that exists at a revision. */
    synchronized void add(Revision at) {
        Pending before = current();
        publish(before.floor(Revision.later(before.floor, at)));
    }

    /**
     * Adds what a write that began after others tells about these: its revision is later.
     *
     * @param began the number of writes that had been answered when it began
     */
    synchronized void passed(long began, Revision at) {
        HashPMap<ObjectKey, PendingWrite> writes = pending.writes;
        for (Map.Entry<ObjectKey, PendingWrite> entry : writes.entrySet()) {
            if (entry.getValue() instanceof Deleted(var uid, var number, var seen, var before)
                    && before == null
                    && number <= began) {
                writes = writes.plus(entry.getKey(), new Deleted(uid, number, seen, at));
            }
        }
        publish(pending.with(writes));
    }

    /** Returns what is pending together with the revision that the mirror has now. */
    private Pending current() {
        Pending before = pending;
        // Read after what is pending, and thus not before the revision that was read with it.
        Snapshot state = mirror.snapshot().orElse(null);
        if (state == null) {
            return before;
        }
        Revision now = state.revision();
        return now.isBefore(before.mirrorAt)
                ? new Pending(HashTreePMap.empty(), 0, Revision.ZERO, now)
                : new Pending(before.writes, before.unclear, before.floor, now);
    }

    private PendingWrite seen(ObjectKey key, PendingWrite write) {
        return write instanceof Deleted deleted
                        && shows(mirror.snapshot().orElse(null), key, deleted)
                ? new Deleted(deleted.uid, deleted.number, true, deleted.before)
                : write;
    }

    private static boolean shows(@Nullable Snapshot state, ObjectKey key, Deleted deleted) {
        return state != null
                && state.get(key).filter(object -> object.uid().equals(deleted.uid)).isPresent();
    }

    /**
     * Returns what two writes of the same name together tell. They may have been done in another
     * order than they were answered.
     */
    private static PendingWrite merged(PendingWrite earlier, PendingWrite later, long number) {
        return switch (earlier) {
            case Changed before ->
                    switch (later) {
                        case Changed after -> after.at.isBefore(before.at) ? before : after;
                        case Deleted gone ->
                                before.uid.isEmpty()
                                        ? new Unclear(number)
                                        : before.uid.equals(gone.uid) ? gone : before;
                        case Missing _, Unclear _ -> new Unclear(number);
                    };
            case Deleted before ->
                    switch (later) {
                        case Changed after ->
                                after.uid.isEmpty()
                                        ? new Unclear(number)
                                        : after.uid.equals(before.uid) ? before : after;
                        case Deleted after ->
                                after.uid.equals(before.uid) ? before : new Unclear(number);
                        case Missing _, Unclear _ -> new Unclear(number);
                    };
            case Missing before ->
                    later instanceof Changed after && after.at.isAfter(before.at)
                            ? after
                            : new Unclear(number);
            case Unclear _ -> new Unclear(number);
        };
    }

    /**
     * Returns whether a state of the mirror shows every pending write, and forgets those that all
     * later states show, too.
     *
     * @param known what was pending before the state was taken
     */
    boolean isShown(Pending known, Snapshot state) {
        if (known.isNothing()) {
            return true;
        }
        if (state.revision().isBefore(known.mirrorAt)) {
            // The API server has been reset. The writes belong to the previous history.
            forget(known);
            return true;
        }
        boolean reached = !state.revision().isBefore(known.floor);
        boolean shown = known.unclear == 0 && reached;
        Map<ObjectKey, @Nullable PendingWrite> learned = new HashMap<>();
        for (Map.Entry<ObjectKey, PendingWrite> entry : known.writes.entrySet()) {
            ObjectKey key = entry.getKey();
            Evidence evidence = evidence(key, entry.getValue(), state);
            shown &= evidence != Evidence.BEFORE;
            if (evidence == Evidence.SHOWN) {
                learned.put(key, null);
            } else if (entry.getValue() instanceof Deleted gone
                    && evidence == Evidence.BEFORE
                    && !gone.seen) {
                learned.put(key, new Deleted(gone.uid, gone.number, true, gone.before));
            }
        }
        if (!learned.isEmpty() || (reached && !known.floor.isZero())) {
            learn(known, learned, state.revision());
        }
        return shown;
    }

    private static Evidence evidence(ObjectKey key, PendingWrite write, Snapshot state) {
        KubeObject object = state.get(key).orElse(null);
        return switch (write) {
            case Changed changed -> evidence(changed, object, state.revision());
            case Deleted deleted -> {
                if (object != null && object.uid().equals(deleted.uid)) {
                    yield Evidence.BEFORE;
                }
                Revision before = deleted.before;
                yield deleted.seen || (before != null && !state.revision().isBefore(before))
                        ? Evidence.SHOWN
                        : Evidence.EQUAL;
            }
            case Missing(var at) -> {
                if (!state.revision().isBefore(at)) {
                    yield Evidence.SHOWN;
                }
                yield object == null ? Evidence.EQUAL : Evidence.BEFORE;
            }
            case Unclear _ -> Evidence.BEFORE;
        };
    }

    /** An update that a union hides for a moment is shown by the object, not by the revision. */
    private static Evidence evidence(
            Changed changed, @Nullable KubeObject object, Revision revision) {
        boolean older =
                object != null
                        && object.uid().equals(changed.uid)
                        && object.revision().isBefore(changed.at);
        if (!older && !revision.isBefore(changed.at)) {
            return Evidence.SHOWN;
        }
        return object == null && !changed.selected ? Evidence.EQUAL : Evidence.BEFORE;
    }

    /**
     * Returns whether the API server knows more about a write that a state does not show.
     *
     * @param unclear whether only those count that no state shows
     */
    boolean isUnresolved(@Nullable Snapshot state, boolean unclear) {
        Pending now = pending;
        return now.unclear > 0
                || unresolved(now, state).values().stream()
                        .anyMatch(write -> !unclear || write instanceof Unclear);
    }

    /** Returns the writes about which the API server knows more, and that a state does not show. */
    Map<ObjectKey, PendingWrite> unresolved(Pending known, @Nullable Snapshot state) {
        Map<ObjectKey, PendingWrite> unresolved = new HashMap<>();
        known.writes.forEach(
                (key, write) -> {
                    boolean open =
                            switch (write) {
                                case Changed changed -> !changed.confirmed;
                                case Deleted _, Unclear _ -> true;
                                case Missing _ -> false;
                            };
                    if (open && (state == null || evidence(key, write, state) == Evidence.BEFORE)) {
                        unresolved.put(key, write);
                    }
                });
        return unresolved;
    }

    /**
     * Replaces a write by what the API server knows about its object, unless there has been another
     * one since.
     *
     * @param answer null if the server has lost the write
     */
    synchronized void resolve(ObjectKey key, PendingWrite write, @Nullable PendingWrite answer) {
        if (write.equals(pending.writes.get(key))) {
            publish(
                    pending.with(
                            answer == null
                                    ? pending.writes.minus(key)
                                    : pending.writes.plus(key, answer)));
        }
    }

    /** Releases the memory. No state of a mirror that does not advance any more shows a write. */
    synchronized void end() {
        publish(Pending.NOTHING.unclear(Long.MAX_VALUE));
    }

    /** Replaces what is known to be pending by a revision that shows all of it. */
    synchronized void cover(Pending known, Revision at) {
        forget(known);
        add(at);
    }

    private synchronized void forget(Pending known) {
        HashPMap<ObjectKey, PendingWrite> writes = pending.writes;
        for (Map.Entry<ObjectKey, PendingWrite> entry : known.writes.entrySet()) {
            if (entry.getValue().equals(writes.get(entry.getKey()))) {
                writes = writes.minus(entry.getKey());
            }
        }
        long unclear = pending.unclear == known.unclear ? 0 : pending.unclear;
        Revision floor = pending.floor.isAfter(known.floor) ? pending.floor : Revision.ZERO;
        publish(new Pending(writes, unclear, floor, pending.mirrorAt));
    }

    private synchronized void learn(
            Pending known, Map<ObjectKey, @Nullable PendingWrite> learned, Revision reached) {
        HashPMap<ObjectKey, PendingWrite> writes = pending.writes;
        for (Map.Entry<ObjectKey, @Nullable PendingWrite> entry : learned.entrySet()) {
            ObjectKey key = entry.getKey();
            PendingWrite now = entry.getValue();
            if (Objects.equals(writes.get(key), known.writes.get(key))) {
                writes = now == null ? writes.minus(key) : writes.plus(key, now);
            }
        }
        Pending after = pending.with(writes);
        publish(after.floor.isAfter(reached) ? after : after.floor(Revision.ZERO));
    }

    /**
     * Publishes what is pending, unless there is no memory for it. Called under the monitor.
     *
     * @return false if there is no memory
     */
    private boolean publish(Pending next) {
        int more = next.writes.size() - pending.writes.size();
        if (more > 0 && !memory.tryAcquire((long) more * BYTES)) {
            return false;
        }
        memory.release((long) Math.max(0, -more) * BYTES);
        pending = next.isNothing() ? Pending.NOTHING : next;
        return true;
    }
}
