package io.kubemirror.feature.query;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.github.benmanes.caffeine.cache.Scheduler;

import io.kubemirror.feature.query.OrderCache.ObjectCounts.ValueCount;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.SnapshotPins;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

/**
 * Sorted and counted snapshots, each made once and kept while clients use it.
 *
 * <p>The next snapshot takes over the values and the order of all objects that have not changed, so
 * the JSON of an object is read once for a path, not once for a page. A result is dropped when its
 * snapshot has left the history and another takes its place, one minute after its last use, and
 * when memory is short: it draws from a budget, and its pin accounts for the objects that only it
 * holds.
 *
 * <p>Safe for use by any thread. Threads that need a result in the making wait for it: it is
 * complete before its future is, and what pages sort in it later is guarded by its own monitors.
 */
public final class OrderCache {

    /** How long a result is kept without being used. */
    private static final Duration IDLE = Duration.ofMinutes(1);

    /** The maximum number of results. */
    private static final int MOST = 256;

    /** The memory of a value: its object, and its text with an entry, in bytes. */
    private static final int VALUE = 56;

    private static final Comparator<SortedCount> LARGEST =
            Comparator.comparingLong((SortedCount sorted) -> sorted.count().count())
                    .reversed()
                    .thenComparing(SortedCount::compareValue);

    private final MemoryBudget budget;
    private final AsyncCache<Question, CachedResult<?>> results;

    /** The last question of each subject. A hint only: it may lag behind the results. */
    private final Map<Subject, Question> latest = new ConcurrentHashMap<>();

    /**
     * Creates an empty cache.
     *
     * @param budget limits what is kept and what is in the making
     */
    public OrderCache(MemoryBudget budget) {
        this.budget = budget;
        long least = Math.max(1, budget.limit() / MOST);
        this.results =
                Caffeine.newBuilder()
                        .expireAfterAccess(IDLE)
                        .scheduler(Scheduler.systemScheduler())
                        .executor(Runnable::run)
                        .maximumWeight(MOST)
                        .weigher(
                                (Question _, CachedResult<?> result) ->
                                        Math.clamp(result.bytes() / least, 1, MOST))
                        .removalListener(
                                (@Nullable Question question,
                                        @Nullable CachedResult<?> result,
                                        RemovalCause _) -> {
                                    if (question != null && result != null) {
                                        latest.remove(question.subject(), question);
                                        result.close();
                                    }
                                })
                        .buildAsync();
    }

    /**
     * Returns the objects of a selection with the values of a path, empty if there is no memory.
     *
     * @param state a snapshot of the mirror
     */
    public Optional<SortedObjects> sorted(
            Mirror mirror, Snapshot state, Selection selection, ValuePath by) {
        Subject subject = new Subject(mirror, selection, by.toString(), /* counted= */ false);
        return result(
                SortedObjects.class,
                new Question(subject, state),
                (question, account) -> sort(question, by, account));
    }

    /**
     * Returns the number of objects of a selection, empty if there is no memory.
     *
     * @param state a snapshot of the mirror
     * @param by what groups the objects, null for nothing
     */
    public Optional<ObjectCounts> counts(
            Mirror mirror, Snapshot state, Selection selection, @Nullable ValuePath by) {
        boolean whole =
                selection.labels().isEverything()
                        && selection.fields().isEverything()
                        && selection.shard().isEverything();
        if (by == null && whole) {
            return Optional.of(new ObjectCounts(state.count(selection.namespace(), ""), List.of()));
        }
        String text = by == null ? "" : by.toString();
        Subject subject = new Subject(mirror, selection, text, /* counted= */ true);
        return result(
                ObjectCounts.class,
                new Question(subject, state),
                (question, account) -> count(question, by, account));
    }

    private <T> Optional<T> result(
            Class<T> kind, Question question, BiFunction<Question, Account, Optional<T>> make) {
        CompletableFuture<CachedResult<?>> mine = new CompletableFuture<>();
        CompletableFuture<CachedResult<?>> other = results.asMap().putIfAbsent(question, mine);
        if (other != null) {
            return Optional.ofNullable(other.join()).map(CachedResult::value).map(kind::cast);
        }
        Account account = new Account();
        CachedResult<T> made = null;
        try {
            made =
                    make.apply(question, account)
                            .map(value -> new CachedResult<>(value, account, pin(question)))
                            .orElse(null);
        } finally {
            if (made == null) {
                account.release();
            } else {
                latest.put(question.subject(), question);
            }
            // Without a result the cache forgets the question.
            mine.complete(made);
        }
        replaceBy(question);
        return Optional.ofNullable(made).map(CachedResult::value);
    }

    private SnapshotPins.Pin pin(Question question) {
        return question.subject()
                .mirror()
                .pin(question.state().revision(), () -> results.synchronous().invalidate(question));
    }

    /** Drops the results in whose place another is, and which no page can need any more. */
    private void replaceBy(Question now) {
        for (Question before : results.asMap().keySet()) {
            if (before.subject().equals(now.subject())
                    && !before.equals(now)
                    && (before.subject().counted() || hasLeft(before))) {
                results.synchronous().invalidate(before);
            }
        }
    }

    private static boolean hasLeft(Question question) {
        return question.subject().mirror().snapshot(question.state().revision()).isEmpty();
    }

    private static Iterable<KubeObject> objects(Question question) {
        Selection selection = question.subject().selection();
        return selection.isEverything()
                ? question.state().objects()
                : question.state().select(selection, "");
    }

    private Optional<SortedObjects> sort(Question question, ValuePath by, Account account) {
        SortedObjects.Values known = known(question.subject());
        List<KubeObject> objects = new ArrayList<>();
        List<@Nullable Object> values = new ArrayList<>();
        for (KubeObject object : objects(question)) {
            int found = known == null ? -1 : known.find(object);
            Object value = null;
            long bytes = SortedObjects.ENTRY + VALUE;
            if (known != null && found >= 0) {
                value = known.at(found);
            } else {
                String text = by.of(object);
                value = text == null ? null : SortValue.of(text);
            }
            if (value instanceof String text) {
                bytes += text.length();
            }
            if (!account.add(bytes)) {
                return Optional.empty();
            }
            objects.add(object);
            values.add(value);
        }
        return Optional.of(
                new SortedObjects(objects.toArray(KubeObject[]::new), values.toArray(), known));
    }

    /** Returns the values of the last snapshot that was sorted by the same path. */
    private SortedObjects.@Nullable Values known(Subject subject) {
        Question before = latest.get(subject);
        CompletableFuture<CachedResult<?>> result =
                before == null ? null : results.getIfPresent(before);
        if (result == null || !result.isDone()) {
            return null;
        }
        CachedResult<?> present = result.join();
        return present != null && present.value() instanceof SortedObjects sorted
                ? sorted.values()
                : null;
    }

    private Optional<ObjectCounts> count(
            Question question, @Nullable ValuePath by, Account account) {
        Map<String, Integer> groups = new HashMap<>();
        int total = 0;
        for (KubeObject object : objects(question)) {
            total++;
            String text = by == null ? null : by.of(object);
            String value = text == null ? "" : text;
            if (by != null && groups.merge(value, 1, Integer::sum) == 1) {
                if (!account.add(2L * VALUE + value.length())) {
                    return Optional.empty();
                }
            }
        }
        List<ValueCount> counts =
                groups.entrySet().stream()
                        .map(SortedCount::of)
                        .sorted(LARGEST)
                        .map(SortedCount::count)
                        .toList();
        return Optional.of(new ObjectCounts(total, counts));
    }

    /** A count with what its value is sorted by. */
    private record SortedCount(ValueCount count, @Nullable Object value) {

        static SortedCount of(Map.Entry<String, Integer> group) {
            String text = group.getKey();
            return new SortedCount(
                    new ValueCount(text, group.getValue()),
                    text.isEmpty() ? null : SortValue.of(text));
        }

        int compareValue(SortedCount other) {
            return SortValue.compare(value, other.value);
        }
    }

    /**
     * What is sorted or counted in every snapshot.
     *
     * @param path the text of the path, empty for none
     */
    private record Subject(Mirror mirror, Selection selection, String path, boolean counted) {}

    /** A subject in one snapshot. Snapshots that differ only in their revision are the same. */
    private record Question(Subject subject, Snapshot state) {

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Question(Subject theirs, Snapshot of)
                    && theirs.equals(subject)
                    && of.hasSameObjects(state);
        }

        @Override
        public int hashCode() {
            return 31 * subject.hashCode() + state.size();
        }
    }

    /** A result with what it holds. Closed once, when the cache drops it. */
    private record CachedResult<T>(T value, Account account, SnapshotPins.Pin pin) {

        long bytes() {
            return account.acquired;
        }

        void close() {
            account.release();
            pin.close();
        }
    }

    /** The memory of one result. Used by the thread that makes it, then by one that drops it. */
    private final class Account {

        /** The bytes that are acquired at once, so that not every object changes the budget. */
        private static final long STEP = 64 << 10;

        private long acquired;
        private long used;

        /** Returns false if there is no memory, even without the results that are kept. */
        boolean add(long bytes) {
            used += bytes;
            while (used > acquired) {
                long step = Math.max(STEP, used - acquired);
                if (budget.tryAcquire(step)) {
                    acquired += step;
                } else if (!dropColdest()) {
                    return false;
                }
            }
            return true;
        }

        private boolean dropColdest() {
            var eviction = results.synchronous().policy().eviction().orElseThrow();
            Optional<Question> coldest = eviction.coldest(1).keySet().stream().findFirst();
            coldest.ifPresent(results.synchronous()::invalidate);
            return coldest.isPresent();
        }

        void release() {
            budget.release(acquired);
            acquired = 0;
        }
    }

    /**
     * The number of objects of a selection, and of those with each value (list-watch.md#or-6,
     * #or-7).
     *
     * @param total the number of all objects
     * @param groups one for each value, the largest first; empty if the objects are not grouped
     */
    public record ObjectCounts(long total, List<ValueCount> groups) {

        /**
         * The number of objects with a value.
         *
         * @param value the value, empty for objects that have none
         * @param count at least 1
         */
        public record ValueCount(String value, long count) {}
    }
}
