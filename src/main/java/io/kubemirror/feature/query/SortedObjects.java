package io.kubemirror.feature.query;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The objects of a snapshot with the values by which they are sorted. Each direction is sorted only
 * as far as pages have needed it, and continues the order of the snapshot before, so that only
 * changed objects have to find their place. Safe for use by any thread.
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
     * @param last the values of another snapshot, of which all objects have been looked for; null
     *     if there is none
     */
    SortedObjects(KubeObject[] objects, @Nullable Object[] values, @Nullable Values last) {
        this.objects = objects;
        this.values = values;
        if (last != null) {
            last.order(this);
        }
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

    /** Iterates the objects in key order, to find those that are still the same. */
    Values values() {
        return new Values();
    }

    /** The known values, in key order. For use by one thread. */
    final class Values {

        /** Where the next snapshot has each object, -1 if it does not have it any more. */
        private final int[] places = new int[objects.length];

        private int position;
        private int next;

        /** Returns the position of an object, -1 if it is not here; objects come in key order. */
        @SuppressWarnings("ReferenceEquality")
        int find(KubeObject object) {
            while (position < objects.length
                    && objects[position] != object
                    && objects[position].key().compareTo(object.key()) < 0) {
                places[position++] = -1;
            }
            boolean found = position < objects.length && objects[position] == object;
            if (found) {
                places[position] = next;
            }
            next++;
            return found ? position++ : -1;
        }

        /** Lets the next snapshot continue the order of this one. */
        private void order(SortedObjects later) {
            Arrays.fill(places, position, places.length, -1);
            ascending.continueIn(later.ascending, places);
            descending.continueIn(later.descending, places);
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

        /** The size up to which a part is left alone if it does not overlap a page. */
        private static final int LARGE = 1 << 14;

        /** The number of rows of which one becomes the pivot of a large part. */
        private static final int SAMPLE = 31;

        /** Up to one of this many rows may have changed, otherwise all are sorted again. */
        private static final int MANY = 8;

        private final int sign;
        private int @Nullable [] rows;

        /**
         * The positions that no object crosses any more: all before are less than all after. Of two
         * parts side by side, one has a single row.
         */
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
            return Arrays.stream(all, from, to).mapToObj(row -> objects[row]).toList();
        }

        /**
         * Hands the order over to the same direction of the next snapshot, which no other thread
         * uses yet. The monitor is what keeps a page from moving rows meanwhile.
         *
         * @param places where the next snapshot has the objects, -1 for those that it does not have
         */
        synchronized void continueIn(Direction later, int[] places) {
            int[] all = rows;
            if (all == null) {
                return;
            }
            int[] changed = later.changed(places);
            if (changed.length <= places.length / MANY) {
                later.follow(this, all, places, changed);
            }
        }

        /** Returns the rows that the snapshot before does not have. */
        private int[] changed(int[] places) {
            BitSet same = new BitSet(objects.length);
            for (int place : places) {
                if (place >= 0) {
                    same.set(place);
                }
            }
            return IntStream.range(0, objects.length).filter(row -> !same.get(row)).toArray();
        }

        /**
         * Follows the order of the snapshot before. A changed row stands between the single rows
         * that it belongs between, or in the part that is between them.
         */
        private void follow(Direction last, int[] old, int[] places, int[] changed) {
            int[] sorted =
                    boxed(changed).sorted(this::compare).mapToInt(Integer::intValue).toArray();
            int[] bounds =
                    IntStream.of(sorted)
                            .map(row -> last.bound(old, values[row], objects[row].key()))
                            .toArray();
            int[] all = new int[objects.length];
            int size = 0;
            int next = 0;
            boolean open = false;
            for (int i = 0; i <= old.length; i++) {
                while (next < sorted.length && bounds[next] == i) {
                    cuts.set(size, !open);
                    all[size++] = sorted[next++];
                }
                int row = i < old.length ? places[old[i]] : -1;
                if (row >= 0) {
                    boolean single = last.isSingle(i);
                    cuts.set(size, single || !open);
                    all[size++] = row;
                    open = !single;
                }
            }
            cuts.set(size);
            rows = all;
        }

        /**
         * Returns the position of the first single row that is after an object of another snapshot,
         * the end if there is none.
         */
        private int bound(int[] all, @Nullable Object value, ObjectKey key) {
            int bound = all.length;
            int low = 0;
            int high = bound;
            while (low < high) {
                int middle = (low + high) >>> 1;
                int single = isSingle(middle) ? middle : cuts.nextSetBit(middle + 1);
                if (single >= high) {
                    high = middle;
                } else if (isAfter(all[single], value, key)) {
                    bound = single;
                    high = middle;
                } else {
                    low = single + 1;
                }
            }
            return bound;
        }

        private boolean isSingle(int position) {
            return cuts.get(position) && cuts.get(position + 1);
        }

        private boolean isAfter(int row, @Nullable Object value, ObjectKey key) {
            int byValue = compareValues(values[row], value);
            return byValue > 0 || (byValue == 0 && objects[row].key().compareTo(key) > 0);
        }

        /**
         * Sorts what overlaps a range, and divides everything else into parts that are small enough
         * for a later page.
         */
        private void sort(int[] all, int low, int high, int from, int to) {
            boolean beside = high <= from || low >= to;
            if (high - low <= (beside ? LARGE : 1)) {
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
            swap(all, pivot(all, low, last), last);
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

        /** Returns the position of the middle one of some rows. */
        private int pivot(int[] all, int low, int last) {
            int[] sample = new int[last - low < LARGE ? 1 : SAMPLE];
            for (int i = 0; i < sample.length; i++) {
                pivots = pivots * 6364136223846793005L + 1442695040888963407L;
                sample[i] = low + (int) ((pivots >>> 33) % (last - low + 1));
            }
            return sample.length == 1
                    ? sample[0]
                    : boxed(sample)
                            .sorted((one, other) -> compare(all[one], all[other]))
                            .toList()
                            .get(sample.length / 2);
        }

        private static Stream<Integer> boxed(int[] numbers) {
            return IntStream.of(numbers).boxed();
        }

        private static void swap(int[] all, int one, int other) {
            int row = all[one];
            all[one] = all[other];
            all[other] = row;
        }

        /** No two rows are equal, because their positions in key order differ. */
        private int compare(int one, int other) {
            int byValue = compareValues(values[one], values[other]);
            return byValue != 0 ? byValue : Integer.compare(one, other);
        }

        @SuppressWarnings("ReferenceEquality")
        private int compareValues(@Nullable Object left, @Nullable Object right) {
            return left == right
                    ? 0
                    : left == null || right == null
                            ? Boolean.compare(left == null, right == null)
                            : sign * SortValue.compare(left, right);
        }
    }
}
