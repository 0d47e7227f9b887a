package io.kubemirror.api.encode;

import module java.base;

import io.kubemirror.api.encode.ValuePath.SortValue;
import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.http.GoJson;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.GoString;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;

/**
 * What a client gets in place of a list in key order: a sorted list, or numbers of objects
 * (list-watch.md#order). Values are read from the stored bytes for each answer, so an answer shows
 * nothing that the objects do not. Immutable.
 */
public sealed interface ListArrangement {

    /** The maximum number of objects whose values one answer reads. */
    int MAX_OBJECTS = 20_000;

    /** The maximum total length of the values that one answer reads, in characters. */
    int MAX_CHARACTERS = 4 << 20;

    /** The parameters of lists that the API server does not have. */
    List<String> PARAMETERS = List.of("sortBy", "count", "groupBy");

    /** Returns what determines the result besides the objects, for tokens and tags. */
    String text();

    /**
     * Returns a page of a state. All of what is counted remains (list-watch.md#or-6).
     *
     * @param from the number of objects before the page
     * @param limit the maximum number of objects, at least 1
     * @param order what positions in the list depend on
     * @throws Rejection if there are more values than one answer may read (list-watch.md#or-11)
     */
    ListPage page(Snapshot state, Selection selection, int from, long limit, String order)
            throws Rejection;

    /**
     * The number of objects of a selection, and of those with each value (list-watch.md#or-6,
     * #or-7).
     *
     * @param total the number of all objects
     * @param groups one for each value, the largest first; empty if the objects are not grouped
     */
    record ObjectCounts(long total, List<ValueCount> groups) {

        /**
         * The number of objects with a value.
         *
         * @param value the value, null for objects that have none
         * @param count at least 1
         */
        public record ValueCount(@Nullable String value, long count) {}
    }

    /**
     * Returns the arrangement that a query names, empty for key order.
     *
     * @throws Rejection if the parameters are malformed, another spelling of them, or cannot be
     *     combined (list-watch.md#or-8)
     */
    static Optional<ListArrangement> read(Query query, Scope scope) throws Rejection {
        for (String written : query.all().keySet()) {
            for (String name : PARAMETERS) {
                if (name.equalsIgnoreCase(written)) {
                    check(name, written, query);
                }
            }
        }
        String sort = query.text("sortBy");
        String count = query.text("count");
        String group = query.text("groupBy");
        if (!count.isEmpty() && !count.equals("only")) {
            throw Rejection.badRequest(
                    "invalid count: " + GoJson.text(count) + ": the supported value is \"only\"");
        }
        if (count.isEmpty() && group.isEmpty()) {
            return sort.isEmpty() ? Optional.empty() : Optional.of(Sorted.by(sort, scope));
        }
        if (!sort.isEmpty()) {
            throw Rejection.badRequest("sortBy is forbidden when objects are counted");
        }
        if (isSet(query, "limit") || isSet(query, "continue")) {
            throw Rejection.badRequest("limit and continue are forbidden when objects are counted");
        }
        return Optional.of(new Counted(group, group.isEmpty() ? null : path(group, scope)));
    }

    private static void check(String name, String written, Query query) throws Rejection {
        if (!written.equals(name)) {
            throw Rejection.badRequest(
                    "unknown parameter " + GoString.quote(written) + ": use " + name);
        }
        if (query.text(name).isEmpty() || query.values(name).size() > 1) {
            throw Rejection.badRequest(name + " must have one value");
        }
    }

    private static boolean isSet(Query query, String name) {
        String text = query.text(name);
        return !text.isEmpty() && !text.equals("0");
    }

    private static ValuePath path(String text, Scope scope) throws Rejection {
        try {
            ValuePath path = ValuePath.parse(text);
            if (scope.extent() == Extent.METADATA && !path.isInMetadata()) {
                throw Rejection.badRequest(
                        "kubemirror mirrors only the metadata of " + scope.resource().text());
            }
            return path;
        } catch (IllegalArgumentException malformed) {
            throw Rejection.badRequest(
                    "invalid path " + GoString.quote(text) + ": " + malformed.getMessage());
        }
    }

    /**
     * Refuses a request that only an API server can answer, or that is for a stream or one object:
     * the parameters would be ignored without a word (list-watch.md#or-9, #or-10).
     *
     * @param why who does not know the parameters
     * @throws Rejection if the query has any of them
     */
    static void refuse(Query query, String why) throws Rejection {
        for (String name : PARAMETERS) {
            if (query.get(name).isPresent()) {
                throw Rejection.badRequest(name + " is not supported: " + why);
            }
        }
    }

    /** Returns whether a query has parameters of lists that the API server does not have. */
    static boolean isIn(Query query) {
        return PARAMETERS.stream().anyMatch(name -> query.get(name).isPresent());
    }

    private static Iterable<KubeObject> objects(Snapshot state, Selection selection) {
        return selection.isEverything() ? state.objects() : state.select(selection, "");
    }

    /** Calls back with each object of a selection and its value, null for none. */
    private static void read(
            Snapshot state,
            Selection selection,
            ValuePath by,
            BiConsumer<KubeObject, @Nullable String> read)
            throws Rejection {
        int objects = 0;
        int characters = 0;
        for (KubeObject object : objects(state, selection)) {
            String value = by.of(object);
            objects++;
            characters += value == null ? 0 : value.length();
            if (objects > MAX_OBJECTS || characters > MAX_CHARACTERS) {
                throw new Rejection(
                        StatusErrors.tooManyValues(by.toString(), MAX_OBJECTS, MAX_CHARACTERS));
            }
            read.accept(object, value);
        }
    }

    /**
     * Objects in the order of a value. Those without one are last in both directions, and those
     * with the same value are in key order (list-watch.md#or-3).
     *
     * @param text the path, after a {@code -} for the largest value first
     */
    record Sorted(String text, ValuePath by, boolean descending) implements ListArrangement {

        private static Sorted by(String text, Scope scope) throws Rejection {
            boolean descending = text.startsWith("-");
            if (descending && text.length() == 1) {
                throw Rejection.badRequest("invalid sortBy: \"-\": a path has to follow");
            }
            return new Sorted(text, path(descending ? text.substring(1) : text, scope), descending);
        }

        private record Row(KubeObject object, @Nullable Object value) {}

        @Override
        public ListPage page(
                Snapshot state, Selection selection, int from, long limit, String order)
                throws Rejection {
            List<Row> rows = new ArrayList<>();
            read(
                    state,
                    selection,
                    by,
                    (object, value) -> rows.add(new Row(object, SortValue.of(value))));
            Comparator<@Nullable Object> values = SortValue::compare;
            rows.sort(
                    Comparator.comparing(
                            Row::value,
                            Comparator.nullsLast(descending ? values.reversed() : values)));
            List<KubeObject> objects =
                    rows.stream().skip(from).limit(limit).map(Row::object).toList();
            int end = Math.min(from, rows.size()) + objects.size();
            int left = rows.size() - end;
            ContinueToken next =
                    left == 0
                            ? null
                            : new ContinueToken(state.revision(), Integer.toString(end), order);
            return new ListPage(state.revision(), objects, next, left, null, selection.shard());
        }
    }

    /**
     * Numbers of objects, the largest first.
     *
     * @param group the path of the value that objects of a group have in common, empty for none
     */
    record Counted(String group, @Nullable ValuePath by) implements ListArrangement {

        private static final Comparator<ObjectCounts.ValueCount> LARGEST =
                Comparator.comparingLong(ObjectCounts.ValueCount::count)
                        .reversed()
                        .thenComparing(
                                count -> SortValue.of(count.value()),
                                Comparator.nullsLast(SortValue::compare))
                        .thenComparing(count -> count.value() == null);

        @Override
        public String text() {
            return "#" + group;
        }

        @Override
        public ListPage page(
                Snapshot state, Selection selection, int from, long limit, String order)
                throws Rejection {
            ObjectCounts counts =
                    by == null
                            ? new ObjectCounts(count(state, selection), List.of())
                            : grouped(state, selection, by);
            return new ListPage(
                    state.revision(), List.of(), null, counts.total(), counts, selection.shard());
        }

        private static long count(Snapshot state, Selection selection) {
            boolean whole =
                    selection.labels().isEverything()
                            && selection.fields().isEverything()
                            && selection.shard().isEverything();
            return whole
                    ? state.count(selection.namespace(), "")
                    : StreamSupport.stream(objects(state, selection).spliterator(), false).count();
        }

        private static ObjectCounts grouped(Snapshot state, Selection selection, ValuePath by)
                throws Rejection {
            Map<@Nullable String, Long> groups = new HashMap<>();
            read(state, selection, by, (_, value) -> groups.merge(value, 1L, Long::sum));
            return new ObjectCounts(
                    groups.values().stream().mapToLong(count -> count).sum(),
                    groups.entrySet().stream()
                            .map(
                                    group ->
                                            new ObjectCounts.ValueCount(
                                                    group.getKey(), group.getValue()))
                            .sorted(LARGEST)
                            .toList());
        }
    }
}
