package io.kubemirror.feature.query;

import io.kubemirror.model.KubeObject;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** The objects of a snapshot with the values by which they are sorted. Immutable. */
final class SortedRows {

    /** The memory of a row with its value and its two places, in bytes. */
    private static final int ROW = 88;

    private final List<Row> byKey;
    private final Row[] sorted;

    private SortedRows(List<Row> byKey, Row[] sorted) {
        this.byKey = byKey;
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
     * @param last the result for another snapshot, from which unchanged objects keep their value
     *     and their order; null for none
     */
    static SortedRows of(
            Iterable<KubeObject> objects,
            ValuePath by,
            boolean descending,
            @Nullable SortedRows last) {
        List<Row> byKey = new ArrayList<>();
        List<Row> added = new ArrayList<>();
        Set<Row> gone = Collections.newSetFromMap(new IdentityHashMap<>());
        Known known = new Known(last, gone);
        for (KubeObject object : objects) {
            Row row = known.find(object);
            if (row == null) {
                row = new Row(object, SortValue.ofNullable(by.of(object)).orElse(null));
                added.add(row);
            }
            byKey.add(row);
        }
        known.end();
        List<Row> rows = new ArrayList<>(byKey.size());
        if (last != null) {
            for (Row row : last.sorted) {
                if (!gone.contains(row)) {
                    rows.add(row);
                }
            }
        }
        rows.addAll(added);
        // The sort finds what is in order already, so it takes few comparisons after a change.
        Row[] sorted = rows.toArray(Row[]::new);
        Arrays.parallelSort(sorted, order(descending));
        return new SortedRows(byKey, sorted);
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

    /** Walks over the rows of another snapshot, in key order. For use by one thread. */
    private static final class Known {

        private final Iterator<Row> rows;
        private final Set<Row> gone;
        private @Nullable Row next;

        /** Begins with the first row, and collects those that are not found. */
        Known(@Nullable SortedRows last, Set<Row> gone) {
            this.rows = last == null ? Collections.emptyIterator() : last.byKey.iterator();
            this.gone = gone;
            advance();
        }

        private void advance() {
            next = rows.hasNext() ? rows.next() : null;
        }

        /** Returns the row of an object, null if it has none; objects come in key order. */
        @SuppressWarnings("ReferenceEquality")
        @Nullable Row find(KubeObject object) {
            while (next != null
                    && next.object() != object
                    && next.object().key().compareTo(object.key()) <= 0) {
                gone.add(next);
                advance();
            }
            Row found = next != null && next.object() == object ? next : null;
            if (found != null) {
                advance();
            }
            return found;
        }

        void end() {
            while (next != null) {
                gone.add(next);
                advance();
            }
        }
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
