package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * One timeline of a simulated server, which keeps every state. A restored backup begins another
 * timeline.
 */
final class SimulatedHistory {

    /**
     * One change of one object.
     *
     * @param revision when
     * @param before the object until then, null if there was none
     * @param after the object since then, null if there is none
     * @param state everything there is after it
     */
    record SimulatedEvent(
            long revision,
            @Nullable KubeObject before,
            @Nullable KubeObject after,
            TreePMap<ObjectKey, KubeObject> state) {}

    private final List<SimulatedEvent> events;
    private long revision;

    private SimulatedHistory(List<SimulatedEvent> events, long revision) {
        this.events = new ArrayList<>(events);
        this.revision = revision;
    }

    /** A timeline that begins without objects. */
    static SimulatedHistory from(long revision) {
        return new SimulatedHistory(List.of(), revision);
    }

    /**
     * Another timeline, which shares the history up to a revision and continues from another
     * revision.
     */
    SimulatedHistory fork(long past, long present) {
        return new SimulatedHistory(events.subList(0, firstAfter(past)), present);
    }

    /** The newest revision, of whatever type. */
    long revision() {
        return revision;
    }

    /** Other types change, too. */
    void skip(int revisions) {
        revision += revisions;
    }

    void append(@Nullable KubeObject before, @Nullable KubeObject after) {
        TreePMap<ObjectKey, KubeObject> state = state();
        if (after != null) {
            state = state.plus(after.key(), after);
        } else if (before != null) {
            state = state.minus(before.key());
        }
        events.add(new SimulatedEvent(revision, before, after, state));
    }

    TreePMap<ObjectKey, KubeObject> state() {
        return events.isEmpty() ? TreePMap.empty() : events.getLast().state();
    }

    /** Returns the objects at a past revision. */
    TreePMap<ObjectKey, KubeObject> at(long past) {
        int next = firstAfter(past);
        return next == 0 ? TreePMap.empty() : events.get(next - 1).state();
    }

    /** Whether the revision is part of the timeline. */
    boolean reached(Revision when) {
        return Long.parseLong(when.digits()) <= revision;
    }

    /** Returns the events after a revision and up to another, oldest first. */
    List<SimulatedEvent> between(long after, long upTo) {
        int from = firstAfter(after);
        return events.subList(from, Math.max(from, firstAfter(upTo)));
    }

    private int firstAfter(long past) {
        int low = 0;
        int high = events.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (events.get(middle).revision() > past) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
