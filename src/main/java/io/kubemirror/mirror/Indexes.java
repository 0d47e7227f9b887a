package io.kubemirror.mirror;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;

import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The indexes of the present state, as far as there are any.
 *
 * <p>They belong to the newest snapshot alone and go with it from change to change, so that the
 * past costs nothing more. A reader who misses one that is worth its cost makes it; the writer
 * makes those that are missing when it goes on, or on a busy collection the reader's would always
 * come too late. One thread takes and any thread asks.
 */
final class Indexes {

    /** After so many changes demand fades. */
    private static final int GENERATION = 4_096;

    private static final VarHandle MADE = made();

    private final IndexUsage usage;
    private final int age;

    /**
     * Those that were made, immutable; null once the writer has taken them to the next snapshot.
     * Replaced in one step by {@link #MADE}: a reader that is late cannot give indexes to a state
     * of the past again, which would keep them for as long as that is remembered.
     */
    private volatile @Nullable Map<Dimension, Index> made;

    private Indexes(IndexUsage usage, int age, Map<Dimension, Index> made) {
        this.usage = usage;
        this.age = age;
        this.made = made;
    }

    private static VarHandle made() {
        try {
            return MethodHandles.lookup().findVarHandle(Indexes.class, "made", Map.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** None. */
    static Indexes none() {
        return new Indexes(new IndexUsage(), 0, Map.of());
    }

    /** Those after the same demand for another collection of objects. */
    Indexes rebuilt() {
        return new Indexes(usage, 0, Map.of());
    }

    /**
     * Those of the next snapshot; this one has none any more.
     *
     * @param objects all objects until now
     * @param old what an object was, null if it was not there
     * @param now what it is, null if it is gone
     */
    Indexes after(
            Collection<KubeObject> objects, @Nullable KubeObject old, @Nullable KubeObject now) {
        if (age == GENERATION) {
            usage.decay();
        }
        Map<Dimension, Index> mine = take();
        Map<Dimension, Index> next = new HashMap<>();
        for (Dimension dimension : usage.worthwhile()) {
            Index index = mine.get(dimension);
            Index present = index == null ? Index.of(dimension, objects) : index;
            next.put(dimension, present.after(old, now));
        }
        return new Indexes(usage, age == GENERATION ? 0 : age + 1, Map.copyOf(next));
    }

    private Map<Dimension, Index> take() {
        @SuppressWarnings("unchecked")
        Map<Dimension, Index> mine = (Map<Dimension, Index>) MADE.getAndSet(this, null);
        return mine == null ? Map.of() : mine;
    }

    /**
     * The objects that have a value, if that can be told without a look at all of them, or will
     * probably be asked again.
     *
     * @param objects all objects
     */
    Optional<TreePMap<ObjectKey, KubeObject>> find(
            Dimension dimension, String value, Collection<KubeObject> objects) {
        usage.record(dimension);
        Map<Dimension, Index> present = made;
        if (present == null) {
            return Optional.empty();
        }
        Index index = present.get(dimension);
        if (index == null && usage.isWorthwhile(dimension)) {
            index = Index.of(dimension, objects);
            Map<Dimension, Index> more = new HashMap<>(present);
            more.put(dimension, index);
            // Whoever was faster has made another index, or taken all; this one serves this list.
            MADE.compareAndSet(this, present, Map.copyOf(more));
        }
        return Optional.ofNullable(index).map(some -> some.get(value));
    }
}
