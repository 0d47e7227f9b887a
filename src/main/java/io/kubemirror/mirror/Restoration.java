package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.mirror.Coverage.UnknownStates;
import io.kubemirror.mirror.MirrorMemory.OverBudgetException;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields.DeclaredFields;

import org.pcollections.TreePMap;

/**
 * Fills an empty mirror with the history that an earlier process has stored: a state, and the
 * changes after it, which go to the log of the mirror as they did then. The oldest changes beyond
 * its window become part of the state.
 *
 * <p>Readers see nothing of it before {@link #complete}, and then all of it. Used by one thread,
 * which must end before the reflector of the mirror writes.
 */
public final class Restoration {

    static final String PROBLEM = "restored from disk; the server has not answered yet";

    private final MirrorWriter writer;
    private final MirrorMemory.Account memory;
    private final TreeMap<ObjectKey, KubeObject> oldest = new TreeMap<>();
    private Snapshot present = Snapshot.empty(Revision.ZERO);

    /** What objects replaced before the history began. */
    private long replaced;

    private long acquired;

    Restoration(MirrorWriter writer, MirrorMemory.Account memory) {
        this.writer = writer;
        this.memory = memory;
    }

    /**
     * Adds an object of the oldest state.
     *
     * @throws OverBudgetException if there is no room for it
     */
    public void add(KubeObject object) {
        acquire(oldest.size(), acquired + object.heapBytes());
        KubeObject shared = writer.interner().share(object, null);
        if (oldest.put(shared.key(), shared) != null) {
            throw new IllegalStateException("the stored state has an object twice");
        }
    }

    /** Sets the revision of the oldest state, which has all objects that were added. */
    public void begin(Revision revision) {
        present = Snapshot.empty(revision).replaced(TreePMap.fromSortedMap(oldest), revision);
        oldest.clear();
        writer.locked(log -> log.reset(present));
    }

    /**
     * Adds the change of an object, or its creation.
     *
     * @param revision that of the change, later than every one before it
     * @param age the time since it was logged
     * @throws OverBudgetException if there is no room for it
     */
    public void upsert(KubeObject object, Revision revision, Duration age) {
        KubeObject before = present.find(object.key());
        KubeObject shared = writer.interner().share(object, before);
        apply(
                before == null
                        ? new Change.Added(revision, shared)
                        : new Change.Modified(revision, before, shared),
                age);
    }

    /** Adds a deletion. */
    public void delete(ObjectKey key, Revision revision, Duration age) {
        KubeObject known = present.find(key);
        if (known == null) {
            throw new IllegalStateException("a stored change is of an unknown object");
        }
        apply(new Change.Deleted(revision, known), age);
    }

    private void apply(Change change, Duration age) {
        if (!change.revision().follows(present.revision())) {
            throw new IllegalStateException("the stored changes are not in order");
        }
        present = present.after(change);
        long nanos = writer.nanos() - age.toNanos();
        writer.locked(
                log -> {
                    log.append(change, present, nanos);
                    replaced = log.recent().base().replaced();
                });
        acquire(present.size() - 1, present.heapBytes() + present.replaced() - replaced);
    }

    /** Acquires the memory of the objects, and of those that only the history has. */
    private void acquire(int others, long needed) {
        memory.acquire(others, needed, needed - acquired);
        memory.hold(needed);
        acquired = needed;
    }

    /** Gives up what was added. The mirror stays empty. */
    public void discard() {
        memory.hold(0);
        oldest.clear();
        begin(Revision.ZERO);
    }

    /**
     * Makes what was added the content of the mirror.
     *
     * @param type the type of the objects
     * @param revision the revision that the stored history has reached, unless a change is later
     * @param lost the last revision that the server lost in a restore, 0 if it did not
     * @param unknown the states in the history that the earlier process has missed
     * @param now the present time
     * @param contact when the earlier process last heard from the server
     * @throws IllegalStateException if the oldest state is not complete; the mirror stays empty
     */
    public void complete(
            ResourceType type,
            DeclaredFields declared,
            Revision revision,
            Revision lost,
            List<UnknownStates> unknown,
            Instant now,
            Instant contact) {
        if (!oldest.isEmpty()) {
            throw new IllegalStateException("the stored state is not complete");
        }
        Revision reached = Revision.later(present.revision(), revision);
        writer.report(new UpstreamStatus(Phase.BACKING_OFF, now, contact, PROBLEM));
        writer.restore(
                log -> {
                    unknown.forEach(log::skip);
                    long era = writer.mirror().view().era() + 1;
                    return new View(
                            era, type, declared, present.at(reached), lost, log.recent(), contact);
                });
    }
}
