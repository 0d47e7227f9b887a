package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;
import org.pcollections.HashPMap;
import org.pcollections.HashTreePMap;

/**
 * What clients know of the objects of a mirror, so that no later answer may show an earlier state
 * (list-watch.md#fr-4, #ry-1). Immutable.
 *
 * <p>It is a revision wherever one is known and the mirror will hear of it. A mirror of few objects
 * hears of the revision of another object only with a bookmark, about once a minute, so what it
 * must not show of a single object is a condition of its own.
 *
 * @param at the revision that the mirror has to reach, 0 for none
 * @param mirrorAt the revision of the mirror when the last of this was added. If the mirror goes
 *     back behind it, the API server has been reset, and all of this belongs to another history
 * @param unclear the number of the last write that may have concerned any object, 0 for none
 * @param outdated states of objects that must not be shown, by UID
 */
record Floor(
        Revision at, Revision mirrorAt, long unclear, HashPMap<String, OutdatedObject> outdated) {

    /** Nothing is known. */
    static final Floor NONE = new Floor(Revision.ZERO, Revision.ZERO, 0, HashTreePMap.empty());

    /** The maximum number of objects. Beyond it, all of them become one unclear write. */
    static final int MAX_OBJECTS = 1_000;

    /**
     * An object of which earlier states must not be shown.
     *
     * @param since the first revision that may be shown; null for none, because it is deleted
     * @param number the number of the last write of it among all
     * @param seen whether the mirror has shown it. A state without it is then later
     */
    record OutdatedObject(ObjectKey key, @Nullable Revision since, long number, boolean seen) {

        private boolean isIn(String uid, Snapshot state) {
            KubeObject object = state.get(key).orElse(null);
            if (object == null) {
                return false;
            }
            if (object.uid().equals(uid)) {
                return since == null || object.revision().isBefore(since);
            }
            // Another object of the name may be an earlier or a later one.
            return since == null ? !seen : state.revision().isBefore(since);
        }

        /** Returns whether no later state shows it again, if this one does not. */
        private boolean isPast(Snapshot state) {
            return since == null ? seen : !state.revision().isBefore(since);
        }

        private OutdatedObject seenIn(String uid, Snapshot state) {
            boolean shown = state.get(key).filter(one -> one.uid().equals(uid)).isPresent();
            return new OutdatedObject(key, since, number, seen || shown);
        }

        private OutdatedObject and(@Nullable OutdatedObject earlier) {
            if (earlier == null) {
                return this;
            }
            Revision before = earlier.since;
            return new OutdatedObject(
                    key,
                    since == null || before == null ? null : Revision.later(since, before),
                    Math.max(number, earlier.number),
                    seen || earlier.seen);
        }
    }

    private Floor with(HashPMap<String, OutdatedObject> objects) {
        return new Floor(at, mirrorAt, unclear, objects);
    }

    /** Returns what is known of the history that a state of the mirror belongs to. */
    Floor in(Revision state) {
        return state.isBefore(mirrorAt)
                ? new Floor(Revision.ZERO, state, 0, HashTreePMap.empty())
                : new Floor(at, state, unclear, outdated);
    }

    /** Adds a revision that clients have seen. */
    Floor raise(Revision seen) {
        return new Floor(Revision.later(at, seen), mirrorAt, unclear, outdated);
    }

    /**
     * Adds the revision of a write, which is after each write that had been answered before.
     *
     * @param began the number of writes that had been answered when it began
     */
    Floor raise(Revision written, long began) {
        return without(began).raise(written);
    }

    /** Adds a write that may have concerned any object. */
    Floor unclear(long number) {
        return new Floor(at, mirrorAt, Math.max(unclear, number), outdated);
    }

    /** Adds an object of which earlier states must not be shown any more. */
    Floor with(String uid, OutdatedObject object) {
        OutdatedObject earlier = outdated.get(uid);
        return earlier == null && outdated.size() == MAX_OBJECTS
                ? with(HashTreePMap.empty()).unclear(object.number())
                : with(outdated.plus(uid, object.and(earlier)));
    }

    private Floor without(long number) {
        HashPMap<String, OutdatedObject> rest = outdated;
        for (Map.Entry<String, OutdatedObject> entry : outdated.entrySet()) {
            if (entry.getValue().since() == null && entry.getValue().number() <= number) {
                rest = rest.minus(entry.getKey());
            }
        }
        return with(rest);
    }

    /**
     * Adds that the API server has a revision, so that this covers what no state has shown.
     *
     * @param asked what was known when it was asked
     * @param number the number of writes that had been answered then
     * @param state the present state of the mirror
     */
    Floor cover(Floor asked, long number, Revision newest, Snapshot state) {
        if (newest.isBefore(asked.at) && at.equals(asked.at)) {
            // The API server has been restored from a backup, and writes are lost.
            return new Floor(newest, mirrorAt, 0, HashTreePMap.empty());
        }
        boolean answered = unclear > 0 && unclear <= number;
        return answered || !hides(state)
                ? new Floor(
                        Revision.later(at, newest),
                        mirrorAt,
                        answered ? 0 : unclear,
                        without(number).outdated)
                : this;
    }

    private boolean hides(Snapshot state) {
        return outdated.entrySet().stream()
                .noneMatch(entry -> entry.getValue().isIn(entry.getKey(), state));
    }

    /** Returns whether a state of the mirror shows all that is known. */
    boolean isShownBy(Snapshot state) {
        return unclear == 0 && !state.revision().isBefore(at) && hides(state);
    }

    /**
     * Returns what is left when a state has been shown.
     *
     * @param whole whether an object leaves the mirror only when it is deleted
     */
    Floor after(Snapshot state, boolean whole) {
        HashPMap<String, OutdatedObject> rest = outdated;
        for (Map.Entry<String, OutdatedObject> entry : outdated.entrySet()) {
            String uid = entry.getKey();
            OutdatedObject object = entry.getValue();
            if (object.isIn(uid, state)) {
                rest = whole ? rest.plus(uid, object.seenIn(uid, state)) : rest;
            } else if (object.isPast(state)) {
                rest = rest.minus(uid);
            }
        }
        return rest.equals(outdated) ? this : with(rest);
    }
}
