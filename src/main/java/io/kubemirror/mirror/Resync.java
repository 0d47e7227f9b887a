package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.mirror.MirrorMemory.OverBudgetException;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * A synchronization in progress: collects a complete list and replaces the content of a mirror by
 * mark and sweep (list-watch.md#re-3 to #re-10).
 *
 * <p>An unchanged object is only marked and its copy dropped at once, so a resynchronization holds
 * no second copy of the collection. At the end, the difference is appended to the history as
 * ordinary changes with revisions of their own, and readers see no list. If no such bridge can be
 * built, or an object differs at the same revision, the history starts over and the streams of
 * readers end.
 *
 * <p>Used by the writer's thread only. A synchronization that is not completed has no effect.
 */
public final class Resync {

    private final MirrorWriter writer;
    private final MirrorMemory.Account memory;
    private final @Nullable Snapshot before;
    private final Set<ObjectKey> unchanged = new HashSet<>();
    private final Map<ObjectKey, KubeObject> differing = new HashMap<>();

    /**
     * Objects whose content differs at the same revision, because their definition, their
     * conversion, or the server has changed, or revisions went back (list-watch.md#re-15).
     */
    private final Map<ObjectKey, KubeObject> rewritten = new HashMap<>();

    private long acquired;

    Resync(MirrorWriter writer, MirrorMemory.Account memory) {
        this.writer = writer;
        this.memory = memory;
        this.before = writer.mirror().view().snapshot();
    }

    /**
     * Adds an object of the list. If two objects have one key, the later one is used.
     *
     * @throws OverBudgetException if there is no room for it
     */
    public void add(KubeObject object) {
        KubeObject known = before == null ? null : before.find(object.key());
        remove(object.key());
        if (known != null && known.isSameState(object)) {
            unchanged.add(known.key());
            if (!known.hasSameJson(object)) {
                acquire(object);
                rewritten.put(object.key(), object);
            }
        } else {
            acquire(object);
            differing.put(object.key(), writer.interner().share(object, known));
        }
    }

    private void acquire(KubeObject object) {
        long cost = object.heapBytes();
        memory.acquire(size(), acquired + cost, cost);
        acquired += cost;
    }

    /** Removes an object that was deleted while the list was in progress (list-watch.md#up-27). */
    public void remove(ObjectKey key) {
        unchanged.remove(key);
        release(differing.remove(key));
        release(rewritten.remove(key));
    }

    private void release(@Nullable KubeObject object) {
        if (object != null) {
            acquired -= object.heapBytes();
            memory.release(object.heapBytes());
        }
    }

    /** Returns the memory acquired for objects that the mirror does not have yet, in bytes. */
    long acquired() {
        return acquired;
    }

    /** Returns the number of objects so far. */
    public int size() {
        return unchanged.size() + differing.size();
    }

    /**
     * Makes the list the content of the mirror.
     *
     * @param revision the revision of the list
     */
    public Completion complete(Revision revision) {
        if (before == null) {
            writer.reset(TreePMap.from(differing), revision);
            return Completion.FIRST;
        }
        if (rewritten.isEmpty()) {
            Optional<Bridge> bridge =
                    Bridge.between(before, differing.values(), this::isListed, revision)
                            .filter(found -> found.fits(writer.mirror().window()));
            if (bridge.isPresent()) {
                writer.cross(bridge.get(), revision);
                return Completion.BRIDGED;
            }
        }
        writer.reset(content(before), revision);
        return Completion.BROKEN;
    }

    /** How a list became the content. */
    public enum Completion {
        /** The mirror was empty before. */
        FIRST,
        /** Readers continue and get the difference. */
        BRIDGED,
        /** The history started over. */
        BROKEN
    }

    private TreePMap<ObjectKey, KubeObject> content(Snapshot old) {
        Map<ObjectKey, KubeObject> all = new HashMap<>(differing);
        for (ObjectKey key : unchanged) {
            all.put(key, old.get(key).orElseThrow());
        }
        all.putAll(rewritten);
        return TreePMap.from(all);
    }

    private boolean isListed(ObjectKey key) {
        return unchanged.contains(key) || differing.containsKey(key);
    }
}
