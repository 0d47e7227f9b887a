package io.kubemirror.feature.query;

import module java.base;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.github.benmanes.caffeine.cache.Scheduler;

import io.kubemirror.api.encode.ListExtension.ObjectCounts;
import io.kubemirror.api.encode.ListExtension.ObjectCounts.ValueCount;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.SnapshotPins;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;

/**
 * Sorted and counted snapshots, each made once and kept while clients use it.
 *
 * <p>The next snapshot takes over what is known of all objects that have not changed. A result is
 * dropped when its snapshot has left the history and another takes its place, one minute after its
 * last use, and when memory is short: it draws from a budget, and its pin accounts for the objects
 * that only it holds.
 *
 * <p>Rejected: a sorted index that moves with the mirror, because the writer would pay for each
 * path.
 *
 * <p>Safe for use by any thread. Threads that need a result in the making wait for it.
 */
final class OrderCache {

    private static final Duration IDLE = Duration.ofMinutes(1);
    private static final int MAX_RESULTS = 256;

    /** The memory of a group besides its value, in bytes. */
    private static final int GROUP = 112;

    private static final Comparator<Map.Entry<ValueCount, Optional<Object>>> LARGEST =
            Comparator.<Map.Entry<ValueCount, Optional<Object>>>comparingLong(
                            group -> group.getKey().count())
                    .reversed()
                    .thenComparing(group -> group.getValue().orElse(null), SortValue::compare)
                    .thenComparing(group -> group.getKey().value() == null);

    private final MemoryBudget budget;
    private final AsyncCache<Question, CachedResult> results;

    /**
     * Creates an empty cache.
     *
     * @param budget limits what is kept
     */
    OrderCache(MemoryBudget budget) {
        this.budget = budget;
        long least = Math.max(1, budget.limit() / MAX_RESULTS);
        this.results =
                Caffeine.newBuilder()
                        .expireAfterAccess(IDLE)
                        .scheduler(Scheduler.systemScheduler())
                        .executor(Runnable::run)
                        .maximumWeight(MAX_RESULTS)
                        .weigher(
                                (Question _, CachedResult result) ->
                                        Math.clamp(result.bytes() / least, 1, MAX_RESULTS))
                        .removalListener(
                                (@Nullable Question _,
                                        @Nullable CachedResult result,
                                        RemovalCause _) -> {
                                    if (result != null) {
                                        budget.release(result.bytes());
                                        result.pin().close();
                                    }
                                })
                        .buildAsync();
    }

    /**
     * Returns the sorted objects of a selection, empty if there is no memory.
     *
     * @param state a snapshot of the mirror
     */
    Optional<SortedRows> sorted(
            Mirror mirror, Snapshot state, Selection selection, ValuePath by, boolean descending) {
        Subject subject = new Subject(mirror, selection, (descending ? "-" : "") + by, false);
        Question question = new Question(subject, state);
        return result(
                SortedRows.class,
                question,
                charge ->
                        SortedRows.of(
                                question.objects(), by, descending, last(subject), charge::add));
    }

    /**
     * Returns the number of objects of a selection, empty if there is no memory.
     *
     * @param state a snapshot of the mirror
     * @param by what groups the objects, null for nothing
     */
    Optional<ObjectCounts> counts(
            Mirror mirror, Snapshot state, Selection selection, @Nullable ValuePath by) {
        boolean whole =
                selection.labels().isEverything()
                        && selection.fields().isEverything()
                        && selection.shard().isEverything();
        if (by == null && whole) {
            return Optional.of(new ObjectCounts(state.count(selection.namespace(), ""), List.of()));
        }
        Subject subject = new Subject(mirror, selection, by == null ? "" : by.toString(), true);
        Question question = new Question(subject, state);
        return result(
                ObjectCounts.class, question, charge -> count(question.objects(), by, charge::add));
    }

    /** Makes a result unless there is one. What makes it returns null if there is no memory. */
    private <T> Optional<T> result(
            Class<T> kind, Question question, Function<Charge, @Nullable T> make) {
        CompletableFuture<CachedResult> mine = new CompletableFuture<>();
        CompletableFuture<CachedResult> other = results.asMap().putIfAbsent(question, mine);
        if (other != null) {
            return Optional.ofNullable(other.join()).map(CachedResult::value).map(kind::cast);
        }
        CachedResult made = null;
        Charge charge = new Charge();
        try {
            T value = make.apply(charge);
            made = value == null || !charge.settle() ? null : charged(question, value, charge);
        } finally {
            if (made == null) {
                budget.release(charge.acquired);
            }
            // Without a result the cache forgets the question.
            mine.complete(made);
        }
        replaceBy(question);
        return Optional.ofNullable(made).map(CachedResult::value).map(kind::cast);
    }

    /** The memory of a result, which is acquired while the result grows. */
    private final class Charge {

        /** What a result may have before it asks for it, in bytes. */
        private static final int AHEAD = 64 * 1024;

        private long needed;
        private long acquired;

        /** Returns false if there is no room. */
        boolean add(long bytes) {
            needed += bytes;
            return needed - acquired < AHEAD || settle();
        }

        /** Acquires what is needed, and returns false if there is no room. */
        boolean settle() {
            while (!budget.tryAcquire(needed - acquired)) {
                if (!dropColdest()) {
                    return false;
                }
            }
            acquired = needed;
            return true;
        }
    }

    private CachedResult charged(Question question, Object value, Charge charge) {
        Mirror mirror = question.subject().mirror();
        return new CachedResult(
                value,
                charge.acquired,
                mirror.pin(
                        question.state().revision(),
                        () -> results.synchronous().invalidate(question)));
    }

    private boolean dropColdest() {
        var eviction = results.synchronous().policy().eviction().orElseThrow();
        Optional<Question> coldest = eviction.coldest(1).keySet().stream().findFirst();
        coldest.ifPresent(results.synchronous()::invalidate);
        return coldest.isPresent();
    }

    /** Drops the results of the same subject that no page can need any more. */
    private void replaceBy(Question now) {
        for (Question before : results.synchronous().asMap().keySet()) {
            if (before.subject().equals(now.subject())
                    && !before.equals(now)
                    && (before.subject().counted() || before.hasLeft())) {
                results.synchronous().invalidate(before);
            }
        }
    }

    /** Returns the newest result that is kept of a subject, null for none. */
    private @Nullable SortedRows last(Subject subject) {
        return results.synchronous().asMap().entrySet().stream()
                .filter(kept -> kept.getKey().subject().equals(subject))
                .max(Comparator.comparing(kept -> kept.getKey().state().revision()))
                .map(kept -> (SortedRows) kept.getValue().value())
                .orElse(null);
    }

    /** Returns null if the charge of a group is refused. */
    private static @Nullable ObjectCounts count(
            Iterable<KubeObject> objects, @Nullable ValuePath by, LongPredicate charge) {
        Map<@Nullable String, Integer> groups = new HashMap<>();
        int total = 0;
        for (KubeObject object : objects) {
            total++;
            String value = by == null ? null : by.of(object);
            if (by != null
                    && groups.merge(value, 1, Integer::sum) == 1
                    && !charge.test(GROUP + (value == null ? 0 : value.length()))) {
                return null;
            }
        }
        List<ValueCount> counts =
                groups.entrySet().stream()
                        .map(group -> new ValueCount(group.getKey(), group.getValue()))
                        .map(count -> Map.entry(count, SortValue.ofNullable(count.value())))
                        .sorted(LARGEST)
                        .map(Map.Entry::getKey)
                        .toList();
        return new ObjectCounts(total, counts);
    }

    /**
     * What is sorted or counted in every snapshot.
     *
     * @param order the text of the path with the sign of its direction, empty for none
     */
    private record Subject(Mirror mirror, Selection selection, String order, boolean counted) {}

    /** A subject in one snapshot. Snapshots that differ only in their revision are the same. */
    private record Question(Subject subject, Snapshot state) {

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Question(Subject same, Snapshot of)
                    && same.equals(subject)
                    && of.hasSameObjects(state);
        }

        @Override
        public int hashCode() {
            return 31 * subject.hashCode() + state.size();
        }

        boolean hasLeft() {
            return subject.mirror().snapshot(state.revision()).isEmpty();
        }

        Iterable<KubeObject> objects() {
            return subject.selection().isEverything()
                    ? state.objects()
                    : state.select(subject.selection(), "");
        }
    }

    /** A result with what it holds. */
    private record CachedResult(Object value, long bytes, SnapshotPins.Pin pin) {}

    /** The objects of a snapshot with the values by which they are sorted. Immutable. */
    static final class SortedRows {

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
        private record Row(KubeObject object, @Nullable Object value) {

            /** Returns the approximate heap memory, in bytes. */
            long bytes() {
                return (long) ROW + (value instanceof String text ? text.length() : 0);
            }
        }

        /**
         * Sorts objects. Those without a value are last in both directions, and those with the same
         * value are in key order (list-watch.md#or-3).
         *
         * @param objects the objects in key order
         * @param last the result for another snapshot, from which unchanged objects keep their
         *     value and their order; null for none
         * @param charge accepts the memory of a row, in bytes
         * @return null if the memory of a row is refused
         */
        static @Nullable SortedRows of(
                Iterable<KubeObject> objects,
                ValuePath by,
                boolean descending,
                @Nullable SortedRows last,
                LongPredicate charge) {
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
                if (!charge.test(row.bytes())) {
                    return null;
                }
                byKey.add(row);
            }
            known.end();
            List<Row> rows = last == null ? new ArrayList<>(byKey.size()) : last.without(gone);
            rows.addAll(added);
            // The sort finds what is in order already, so it takes few comparisons after a change.
            Row[] sorted = rows.toArray(Row[]::new);
            Arrays.parallelSort(sorted, order(descending));
            return new SortedRows(byKey, sorted);
        }

        private List<Row> without(Set<Row> gone) {
            List<Row> rows = new ArrayList<>(sorted.length);
            for (Row row : sorted) {
                if (!gone.contains(row)) {
                    rows.add(row);
                }
            }
            return rows;
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
    }
}
