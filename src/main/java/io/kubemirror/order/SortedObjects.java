package io.kubemirror.order;

import io.kubemirror.model.KubeObject;

import org.jspecify.annotations.Nullable;

import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The objects of a snapshot with the values by which they are sorted. Each direction is sorted only
 * as far as pages have needed it. Safe for use by any thread.
 */
public final class SortedObjects {

    /** The memory of an object: its entry here, and its place in both directions, in bytes. */
    static final int ENTRY = 4 * Long.BYTES;

    private final KubeObject[] objects;
    private final @Nullable Object[] values;
    private final Direction ascending = new Direction(1);
    private final Direction descending = new Direction(-1);

    /**
     * Creates the unsorted objects.
     *
     * @param objects the objects in key order
     * @param values the value of each, null if it has none
     */
    SortedObjects(KubeObject[] objects, @Nullable Object[] values) {
        this.objects = objects;
        this.values = values;
    }

    /** Returns the number of objects. */
    public int size() {
        return objects.length;
    }

    /**
     * Returns a part of the sorted objects. Those without a value are last in both directions, and
     * those with the same value are in key order (list-watch.md#or-3).
     *
     * @param from the number of objects before the part
     * @param limit the maximum number of objects
     */
    public List<KubeObject> page(boolean isDescending, int from, long limit) {
        int to = from + (int) Math.min(limit, size() - from);
        return (isDescending ? descending : ascending).page(from, to);
    }

    /** Iterates the objects in key order, to find the values of those that are still the same. */
    Values values() {
        return new Values();
    }

    /** The known values, in key order. For use by one thread. */
    final class Values {

        private int position;

        /** Returns the position of an object, -1 if it is not here; objects come in key order. */
        @SuppressWarnings("ReferenceEquality")
        int find(KubeObject object) {
            while (position < objects.length
                    && objects[position] != object
                    && objects[position].key().compareTo(object.key()) < 0) {
                position++;
            }
            return position < objects.length && objects[position] == object ? position++ : -1;
        }

        @Nullable Object at(int found) {
            return values[found];
        }
    }

    /**
     * The objects in one direction: a quicksort that partitions only what overlaps a page.
     * Partitions stay, so the next page finds a small one. Guarded by its monitor.
     */
    private final class Direction {

        /** The size from which on a part is partitioned. */
        private static final int SMALL = 16;

        private final int sign;
        private int @Nullable [] rows;

        /** The positions that no object crosses any more: all before are less than all after. */
        private final BitSet cuts = new BitSet();

        /** The state of a generator of pivots, because no fixed choice suits every collection. */
        private long pivots = 1;

        Direction(int sign) {
            this.sign = sign;
        }

        synchronized List<KubeObject> page(int from, int to) {
            int[] all = rows;
            if (all == null) {
                all = IntStream.range(0, objects.length).toArray();
                rows = all;
                cuts.set(0);
                cuts.set(objects.length);
            }
            int low = from == to ? to : cuts.previousSetBit(from);
            while (low < to) {
                int high = cuts.nextSetBit(low + 1);
                sort(all, low, high, from, to);
                low = high;
            }
            return IntStream.of(all).skip(from).limit(to - from).mapToObj(i -> objects[i]).toList();
        }

        /** Sorts what overlaps a range. */
        private void sort(int[] all, int low, int high, int from, int to) {
            if (high - low <= 1 || high <= from || low >= to) {
                return;
            }
            if (high - low <= SMALL) {
                insert(all, low, high);
                cuts.set(low, high);
                return;
            }
            int middle = partition(all, low, high - 1);
            cuts.set(middle, middle + 2);
            sort(all, low, middle, from, to);
            sort(all, middle + 1, high, from, to);
        }

        private void insert(int[] all, int low, int high) {
            for (int i = low + 1; i < high; i++) {
                int row = all[i];
                int j = i;
                while (j > low && compare(all[j - 1], row) > 0) {
                    all[j] = all[j - 1];
                    j--;
                }
                all[j] = row;
            }
        }

        /** Returns where the pivot is in the end: what is less is before it. */
        private int partition(int[] all, int low, int last) {
            pivots = pivots * 6364136223846793005L + 1442695040888963407L;
            swap(all, low + (int) ((pivots >>> 33) % (last - low + 1)), last);
            int pivot = all[last];
            int middle = low;
            for (int i = low; i < last; i++) {
                if (compare(all[i], pivot) < 0) {
                    swap(all, i, middle);
                    middle++;
                }
            }
            swap(all, middle, last);
            return middle;
        }

        private static void swap(int[] all, int one, int other) {
            int row = all[one];
            all[one] = all[other];
            all[other] = row;
        }

        /** No two rows are equal, because their positions in key order differ. */
        @SuppressWarnings("ReferenceEquality")
        private int compare(int one, int other) {
            Object left = values[one];
            Object right = values[other];
            int byValue =
                    left == right
                            ? 0
                            : left == null || right == null
                                    ? Boolean.compare(left == null, right == null)
                                    : sign * SortValue.compare(left, right);
            return byValue != 0 ? byValue : Integer.compare(one, other);
        }
    }
}
