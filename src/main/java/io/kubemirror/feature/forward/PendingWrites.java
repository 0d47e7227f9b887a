package io.kubemirror.feature.forward;

import io.kubemirror.api.http.RequestPath;
import io.kubemirror.feature.forward.AnsweredWrite.Evidence;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;
import org.pcollections.HashPMap;
import org.pcollections.HashTreePMap;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

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
    static final int MAX = 1_000;

    /** The memory of a pending write with a long key, in bytes. */
    private static final int BYTES = 1_024;

    /**
     * What is pending at a moment.
     *
     * @param writes the writes of single objects
     * @param unclear the number of the last write that may have concerned any object, 0 for none
     * @param floor the revision that shows all other writes, 0 for none
     * @param mirrorAt the revision of the mirror when the last of them was added
     */
    record Pending(
            HashPMap<ObjectKey, AnsweredWrite> writes,
            long unclear,
            Revision floor,
            Revision mirrorAt) {

        static final Pending NOTHING =
                new Pending(HashTreePMap.empty(), 0, Revision.ZERO, Revision.ZERO);

        boolean isNothing() {
            return writes.isEmpty() && unclear == 0 && floor.isZero();
        }

        private Pending with(HashPMap<ObjectKey, AnsweredWrite> other) {
            return new Pending(other, unclear, floor, mirrorAt);
        }

        private Pending unclear(long since) {
            return new Pending(writes, since, floor, mirrorAt);
        }

        private Pending floor(Revision other) {
            return new Pending(writes, unclear, other, mirrorAt);
        }
    }

    private final Mirror mirror;
    private final MemoryBudget memory;
    private volatile Pending pending = Pending.NOTHING;

    /** Whether the mirror has been removed, after which nothing changes. Guarded by this. */
    private boolean over;

    /**
     * Creates an empty set.
     *
     * @param memory the budget for the writes
     */
    PendingWrites(Mirror mirror, MemoryBudget memory) {
        this.mirror = mirror;
        this.memory = memory;
    }

    /**
     * Returns whether the mirror may show objects of a resource. Other versions of a type are other
     * views of the same objects.
     *
     * @param namespace the namespace of the objects, empty for all or if they have none
     */
    boolean concerns(RequestPath.Resource resource, String namespace) {
        ResourceType type = mirror.type().orElse(null);
        if (type == null) {
            ResourceName name = mirror.scope().resource();
            return isIn(namespace, mirror)
                    && name.match(resource.group(), resource.version(), resource.plural())
                            != ResourceName.Match.NONE;
        }
        return type.plural().equals(resource.plural())
                && (type.group().equals(resource.group())
                        || (isEvent(type.group()) && isEvent(resource.group())))
                && isIn(namespace, mirror);
    }

    /** Events are the same objects in both of their groups. */
    private boolean isEvent(String group) {
        return mirror.scope().resource().plural().equals("events")
                && Set.of("", "events.k8s.io").contains(group);
    }

    private static boolean isIn(String namespace, Mirror mirror) {
        if (!mirror.members().isEmpty()) {
            return mirror.members().stream().anyMatch(member -> isIn(namespace, member));
        }
        String held = mirror.scope().selection().namespace();
        return namespace.isEmpty() || held.isEmpty() || held.equals(namespace);
    }

    /** Returns what is pending. Take it before the state that is checked. */
    Pending pending() {
        return pending;
    }

    /**
     * Adds a write of one object.
     *
     * @param number the number of the write among all
     * @param began the number of writes that had been answered when it began
     */
    synchronized void add(ObjectKey key, AnsweredWrite write, long number, long began) {
        Pending before = current();
        AnsweredWrite earlier = before.writes.get(key);
        KubeObject shown = mirror.snapshot().map(state -> known(state, key)).orElse(null);
        AnsweredWrite now =
                (earlier == null ? write : earlier.and(write, number, began)).seen(shown);
        boolean full = earlier == null && before.writes.size() == MAX;
        if (full || !publish(before.with(before.writes.plus(key, now)))) {
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
        HashPMap<ObjectKey, AnsweredWrite> writes = pending.writes;
        for (Map.Entry<ObjectKey, AnsweredWrite> entry : writes.entrySet()) {
            if (entry.getValue()
                            instanceof
                            AnsweredWrite.Deleted(var uid, var number, var seen, var before)
                    && before == null
                    && number <= began) {
                writes =
                        writes.plus(
                                entry.getKey(), new AnsweredWrite.Deleted(uid, number, seen, at));
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

    /**
     * Returns an object that is deleted once it is not shown any more. One that a mirror selects
     * may also leave the selection, and come back.
     */
    private @Nullable KubeObject known(Snapshot state, ObjectKey key) {
        Selection held = mirror.scope().selection();
        return held.labels().isEverything() && held.fields().isEverything()
                ? state.get(key).orElse(null)
                : null;
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
        Map<ObjectKey, @Nullable AnsweredWrite> learned = new HashMap<>();
        for (Map.Entry<ObjectKey, AnsweredWrite> entry : known.writes.entrySet()) {
            ObjectKey key = entry.getKey();
            Evidence evidence = entry.getValue().in(state, key);
            shown &= evidence != Evidence.BEFORE;
            AnsweredWrite now = entry.getValue().seen(known(state, key));
            if (evidence == Evidence.SHOWN) {
                learned.put(key, null);
            } else if (!now.equals(entry.getValue())) {
                learned.put(key, now);
            }
        }
        if (!learned.isEmpty() || (reached && !known.floor.isZero())) {
            learn(known, learned, state.revision());
        }
        return shown;
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
                        .anyMatch(write -> !unclear || write instanceof AnsweredWrite.Unclear);
    }

    /** Returns the writes about which the API server knows more, and that a state does not show. */
    Map<ObjectKey, AnsweredWrite> unresolved(Pending known, @Nullable Snapshot state) {
        Map<ObjectKey, AnsweredWrite> unresolved = new HashMap<>();
        known.writes.forEach(
                (key, write) -> {
                    if (write.isOpen()
                            && (state == null || write.in(state, key) == Evidence.BEFORE)) {
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
    synchronized void resolve(ObjectKey key, AnsweredWrite write, @Nullable AnsweredWrite answer) {
        if (write.equals(pending.writes.get(key))) {
            publish(
                    pending.with(
                            answer == null
                                    ? pending.writes.minus(key)
                                    : pending.writes.plus(key, answer)));
        }
    }

    /**
     * Releases the memory. No state of a mirror that does not advance any more shows a write. One
     * that is added later, by a request that has found the mirror before, takes no memory.
     */
    synchronized void end() {
        publish(Pending.NOTHING.unclear(Long.MAX_VALUE));
        over = true;
    }

    /** Replaces what is known to be pending by a revision that shows all of it. */
    synchronized void cover(Pending known, Revision at) {
        forget(known);
        add(at);
    }

    private synchronized void forget(Pending known) {
        HashPMap<ObjectKey, AnsweredWrite> writes = pending.writes;
        for (Map.Entry<ObjectKey, AnsweredWrite> entry : known.writes.entrySet()) {
            if (entry.getValue().equals(writes.get(entry.getKey()))) {
                writes = writes.minus(entry.getKey());
            }
        }
        long unclear = pending.unclear == known.unclear ? 0 : pending.unclear;
        Revision floor = pending.floor.isAfter(known.floor) ? pending.floor : Revision.ZERO;
        publish(new Pending(writes, unclear, floor, pending.mirrorAt));
    }

    private synchronized void learn(
            Pending known, Map<ObjectKey, @Nullable AnsweredWrite> learned, Revision reached) {
        HashPMap<ObjectKey, AnsweredWrite> writes = pending.writes;
        for (Map.Entry<ObjectKey, @Nullable AnsweredWrite> entry : learned.entrySet()) {
            ObjectKey key = entry.getKey();
            AnsweredWrite now = entry.getValue();
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
        if (over) {
            return true;
        }
        int more = next.writes.size() - pending.writes.size();
        if (more > 0 && !memory.tryAcquire((long) more * BYTES)) {
            return false;
        }
        memory.release((long) Math.max(0, -more) * BYTES);
        pending = next.isNothing() ? Pending.NOTHING : next;
        return true;
    }
}
