package io.kubemirror.api.http;

import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.GoString;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.SelectorException;

import org.jspecify.annotations.Nullable;

import java.util.Optional;

/**
 * The options of a list or watch request, parsed but not validated (list-watch.md#option-values).
 *
 * @param state the requested state of the collection
 * @param paging the requested page of the list
 * @param labels the label selector
 * @param fields the field selector
 * @param streaming the options of a watch
 */
public record ListOptions(
        StateOptions state,
        PagingOptions paging,
        LabelSelector labels,
        FieldSelector fields,
        StreamingOptions streaming) {

    /**
     * The requested state of the collection.
     *
     * @param revision the {@code resourceVersion} as it was sent, empty if unset
     *     (list-watch.md#de-3)
     * @param match the {@code resourceVersionMatch}, empty if unset (list-watch.md#va-14)
     */
    public record StateOptions(String revision, String match) {

        /**
         * Whether the newest state is requested, which only the API server knows for certain
         * (list-watch.md#fr-1).
         */
        public boolean isNewest() {
            return revision.isEmpty();
        }

        /**
         * Whether any state or the newest one is requested. In both cases the mirror chooses
         * (list-watch.md#fr-1).
         */
        public boolean isOpen() {
            return revision.isEmpty() || revision.equals("0");
        }
    }

    /**
     * The requested page of the list.
     *
     * @param limit the maximum number of objects, 0 or less for all
     * @param token the {@code continue} token, empty for the first page
     */
    public record PagingOptions(long limit, String token) {

        /** Whether the number of objects is limited. */
        public boolean isLimited() {
            return limit > 0;
        }
    }

    /**
     * The options of a watch.
     *
     * @param initialEvents {@code sendInitialEvents}; absent differs from false
     * @param bookmarks whether the client accepts bookmarks
     * @param timeoutSeconds the duration of the watch; if absent, kubemirror chooses it
     */
    public record StreamingOptions(
            @Nullable Boolean initialEvents, boolean bookmarks, @Nullable Long timeoutSeconds) {}

    /**
     * Parses the options in the API server's order: numbers, labels, fields
     * (list-watch.md#order-of-checks, check 3).
     *
     * @param bookmarks whether bookmarks are sent if the client does not say (list-watch.md#se-5)
     * @throws Rejection if a number or a selector is malformed
     */
    public static ListOptions decode(Query query, boolean bookmarks) throws Rejection {
        Long timeoutSeconds = number(query, "timeoutSeconds");
        Long limit = number(query, "limit");
        try {
            return new ListOptions(
                    new StateOptions(
                            query.text("resourceVersion"), query.text("resourceVersionMatch")),
                    new PagingOptions(limit == null ? 0 : limit, query.text("continue")),
                    RequestLimits.check(LabelSelector.parse(selector(query, "labelSelector"))),
                    RequestLimits.check(FieldSelector.parse(selector(query, "fieldSelector"))),
                    new StreamingOptions(
                            query.flag("sendInitialEvents").orElse(null),
                            query.flag("allowWatchBookmarks").orElse(bookmarks),
                            timeoutSeconds));
        } catch (SelectorException malformed) {
            throw new Rejection(StatusErrors.badRequest(String.valueOf(malformed.getMessage())));
        }
    }

    /**
     * Returns options that resume after the revision that an earlier stream has reached
     * (list-watch.md#se-6).
     */
    public ListOptions resumedAfter(String revision) {
        return new ListOptions(
                new StateOptions(revision, ""),
                paging,
                labels,
                fields,
                new StreamingOptions(null, streaming.bookmarks(), streaming.timeoutSeconds()));
    }

    /**
     * Returns options with the defaults of a watch: with no or any revision, it begins with the
     * current state (list-watch.md#wa-2).
     */
    public ListOptions withWatchDefaults() {
        if (!state.isOpen() || !state.match().isEmpty() || streaming.initialEvents() != null) {
            return this;
        }
        return new ListOptions(
                new StateOptions(state.revision(), OptionRules.NOT_OLDER_THAN),
                paging,
                labels,
                fields,
                new StreamingOptions(true, streaming.bookmarks(), streaming.timeoutSeconds()));
    }

    /** Returns options for one object (list-watch.md#pa-8). */
    public ListOptions with(FieldSelector narrower) {
        return new ListOptions(state, paging, labels, narrower, streaming);
    }

    private static String selector(Query query, String name) throws Rejection {
        return RequestLimits.checkSelector(name, query.text(name));
    }

    private static @Nullable Long number(Query query, String name) throws Rejection {
        Optional<String> text = query.get(name);
        if (text.isEmpty()) {
            return null;
        }
        String digits = text.get();
        if (!digits.matches("[-+]?[0-9]+")) {
            throw unreadable(digits, "invalid syntax");
        }
        try {
            return Long.valueOf(digits);
        } catch (NumberFormatException tooLong) {
            throw unreadable(digits, "value out of range");
        }
    }

    private static Rejection unreadable(String text, String why) {
        return new Rejection(
                StatusErrors.badRequest(
                        "strconv.ParseInt: parsing " + GoString.quote(text) + ": " + why));
    }
}
