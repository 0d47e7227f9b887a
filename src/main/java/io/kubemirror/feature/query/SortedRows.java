package io.kubemirror.feature.query;

import io.kubemirror.model.KubeObject;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;

/** The objects of a snapshot with the values by which they are sorted. Immutable. */
final class SortedRows {

    /** The memory of a row with its value and its place, in bytes. */
    private static final int ROW = 88;

    private final Row[] sorted;

    private SortedRows(Row[] sorted) {
        this.sorted = sorted;
    }

    /**
     * An object with its value.
     *
     * @param value null if the object has none
     */
    private record Row(KubeObject object, @Nullable Object value) {}

    /**
     * Sorts objects. Those without a value are last in both directions, and those with the same
     * value are in key order (list-watch.md#or-3).
     *
     * @param objects the objects in key order
     * @param last the result for another snapshot, from which unchanged objects keep their value;
     *     null for none
     */
    static SortedRows of(
            Iterable<KubeObject> objects,
            ValuePath by,
            boolean descending,
            @Nullable SortedRows last) {
        IdentityHashMap<KubeObject, Row> known = new IdentityHashMap<>();
        if (last != null) {
            for (Row row : last.sorted) {
                known.put(row.object(), row);
            }
        }
        List<Row> rows = new ArrayList<>();
        for (KubeObject object : objects) {
            Row row = known.get(object);
            rows.add(
                    row == null
                            ? new Row(object, SortValue.ofNullable(by.of(object)).orElse(null))
                            : row);
        }
        Row[] sorted = rows.toArray(Row[]::new);
        Arrays.parallelSort(sorted, order(descending));
        return new SortedRows(sorted);
    }

    private static Comparator<Row> order(boolean descending) {
        int sign = descending ? -1 : 1;
        return (one, other) -> {
            Object left = one.value();
            Object right = other.value();
            int byValue =
                    left == null || right == null
                            ? Boolean.compare(left == null, right == null)
                            : sign * SortValue.compare(left, right);
            return byValue != 0 ? byValue : one.object().key().compareTo(other.object().key());
        };
    }

    /** Returns the number of objects. */
    int size() {
        return sorted.length;
    }

    /**
     * Returns a part of the objects.
     *
     * @param from the number of objects before the part
     * @param limit the maximum number of objects
     */
    List<KubeObject> page(int from, long limit) {
        return Arrays.stream(sorted, from, from + (int) Math.min(limit, size() - from))
                .map(Row::object)
                .toList();
    }

    /** Returns the approximate heap memory, in bytes. */
    long bytes() {
        long bytes = (long) ROW * sorted.length;
        for (Row row : sorted) {
            bytes += row.value() instanceof String text ? text.length() : 0;
        }
        return bytes;
    }
}
