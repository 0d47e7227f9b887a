package io.kubemirror.feature.query;

import module java.base;

import io.kubemirror.api.encode.ListExtension;
import io.kubemirror.api.encode.ListExtension.ObjectCounts;
import io.kubemirror.api.http.GoJson;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.feature.query.OrderCache.SortedRows;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.GoString;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/** Sorts and counts lists (list-watch.md#order). Safe for use by any thread. */
@Component
final class OrderExtension implements ListExtension {

    private static final String SORT = "sortBy";
    private static final String COUNT = "count";
    private static final String GROUP = "groupBy";

    private final OrderCache orders;

    OrderExtension(@Qualifier("clientMemory") ObjectProvider<MemoryBudget> clientMemory) {
        MemoryBudget clients = clientMemory.getIfAvailable(MemoryBudget::unlimited);
        this.orders = new OrderCache(clients.part("orders", clients.limit() / 4));
    }

    @Override
    public List<String> parameters() {
        return List.of(SORT, COUNT, GROUP);
    }

    /** Refuses what cannot be combined (list-watch.md#or-8). */
    @Override
    public Optional<ListArrangement> read(Query query, Mirror mirror) throws Rejection {
        String sort = query.text(SORT);
        String count = query.text(COUNT);
        String group = query.text(GROUP);
        if (!count.isEmpty() && !count.equals("only")) {
            throw Rejection.badRequest(
                    "invalid count: " + GoJson.quote(count) + ": the supported value is \"only\"");
        }
        if (count.isEmpty() && group.isEmpty()) {
            return sort.isEmpty() ? Optional.empty() : Optional.of(sorted(sort, mirror));
        }
        if (!sort.isEmpty()) {
            throw Rejection.badRequest("sortBy is forbidden when objects are counted");
        }
        if (isSet(query, "limit") || isSet(query, "continue")) {
            throw Rejection.badRequest("limit and continue are forbidden when objects are counted");
        }
        return Optional.of(new Counted(group, group.isEmpty() ? null : path(group, mirror)));
    }

    private static boolean isSet(Query query, String name) {
        String text = query.text(name);
        return !text.isEmpty() && !text.equals("0");
    }

    private Sorted sorted(String text, Mirror mirror) throws Rejection {
        boolean descending = text.startsWith("-");
        if (descending && text.length() == 1) {
            throw Rejection.badRequest("invalid sortBy: \"-\": a path has to follow");
        }
        return new Sorted(text, path(descending ? text.substring(1) : text, mirror), descending);
    }

    private static ValuePath path(String text, Mirror mirror) throws Rejection {
        try {
            ValuePath path = ValuePath.parse(text);
            if (mirror.scope().extent() == Extent.METADATA && !path.isInMetadata()) {
                throw Rejection.badRequest(
                        "kubemirror mirrors only the metadata of "
                                + mirror.scope().resource().text());
            }
            return path;
        } catch (IllegalArgumentException malformed) {
            throw Rejection.badRequest(
                    "invalid path " + GoString.quote(text) + ": " + malformed.getMessage());
        }
    }

    private static Rejection withoutMemory() {
        return new Rejection(StatusErrors.outOfMemory());
    }

    private final class Sorted implements ListArrangement {

        private final String text;
        private final ValuePath by;
        private final boolean descending;

        Sorted(String text, ValuePath by, boolean descending) {
            this.text = text;
            this.by = by;
            this.descending = descending;
        }

        @Override
        public String text() {
            return text;
        }

        @Override
        public ListPart part(
                Mirror mirror, Snapshot state, Selection selection, int from, long limit)
                throws Rejection {
            SortedRows all =
                    orders.sorted(mirror, state, selection, by, descending)
                            .orElseThrow(OrderExtension::withoutMemory);
            int start = Math.min(from, all.size());
            return new ListPart(all.page(start, limit), start, all.size(), null);
        }
    }

    private final class Counted implements ListArrangement {

        private final String group;
        private final @Nullable ValuePath by;

        Counted(String group, @Nullable ValuePath by) {
            this.group = group;
            this.by = by;
        }

        @Override
        public String text() {
            return "#" + group;
        }

        @Override
        public ListPart part(
                Mirror mirror, Snapshot state, Selection selection, int from, long limit)
                throws Rejection {
            ObjectCounts counts =
                    orders.counts(mirror, state, selection, by)
                            .orElseThrow(OrderExtension::withoutMemory);
            return new ListPart(List.of(), 0, (int) counts.total(), counts);
        }
    }
}
