package io.kubemirror.api.http;

import module java.base;

import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.GoString;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.Revision;
import io.kubemirror.model.ShardSelector;
import io.kubemirror.model.Status.Cause;

import org.jspecify.annotations.Nullable;

/**
 * The options of a list or watch request. Parsing checks each value (list-watch.md#option-values);
 * {@link #checkList} and {@link #checkWatch} check their combination (list-watch.md#options).
 *
 * @param revision the {@code resourceVersion} as it was sent, empty if unset (list-watch.md#de-1)
 * @param match the {@code resourceVersionMatch}, empty if unset (list-watch.md#va-14)
 * @param limit the maximum number of objects of a page, 0 or less for all
 * @param token the {@code continue} token, empty for the first page
 * @param labels the label selector
 * @param fields the field selector
 * @param shardSelector the shard selector as it was sent, which the API server checks last
 *     (list-watch.md#sh-7)
 * @param streaming the options of a watch
 */
public record ListOptions(
        String revision,
        String match,
        long limit,
        String token,
        LabelSelector labels,
        FieldSelector fields,
        String shardSelector,
        StreamingOptions streaming) {

    public static final String NAME = "metadata.name";
    public static final String NAMESPACE = "metadata.namespace";

    /** The parameter that selects a shard, which an API server may ignore. */
    public static final String SHARD_SELECTOR = "shardSelector";

    /** The maximum number of values in a selector, in whatever requirements. */
    static final int MAX_VALUES = 1_000;

    private static final String EXACT = "Exact";
    private static final String NOT_OLDER_THAN = "NotOlderThan";
    private static final String MATCH = "resourceVersionMatch";
    private static final String INITIAL_EVENTS = "sendInitialEvents";
    private static final Revision MAX_64_BIT = new Revision("18446744073709551615");

    /**
     * The options of a watch.
     *
     * @param initialEvents {@code sendInitialEvents}; absent differs from false
     * @param bookmarks whether the client accepts bookmarks
     * @param states whether the client wants to know when the state of the mirror changes
     * @param bookmarkSeconds the interval between bookmarks; if absent, kubemirror chooses it
     *     (list-watch.md#bm-1)
     * @param timeoutSeconds the duration of the watch; if absent, kubemirror chooses it
     */
    public record StreamingOptions(
            @Nullable Boolean initialEvents,
            boolean bookmarks,
            boolean states,
            @Nullable Long bookmarkSeconds,
            @Nullable Long timeoutSeconds) {}

    /**
     * Parses the options in the API server's order: numbers, labels, fields
     * (list-watch.md#order-of-checks, check 3).
     *
     * @param serverSent whether the request is for server-sent events, which include bookmarks and
     *     states unless the client says otherwise (list-watch.md#se-5, #fr-6)
     * @throws Rejection if a number or a selector is malformed
     */
    public static ListOptions decode(Query query, boolean serverSent) throws Rejection {
        Long timeoutSeconds = number(query, "timeoutSeconds");
        Long limit = number(query, "limit");
        Long bookmarkSeconds = bookmarkSeconds(query);
        LabelSelector labels = LabelSelectorParser.parse(query.text("labelSelector"));
        checkValues("labelSelector", labels.values());
        FieldSelector fields = FieldSelectorParser.parse(query.text("fieldSelector"));
        checkValues("fieldSelector", fields.terms().size());
        boolean bookmarks = query.flag("allowWatchBookmarks").orElse(serverSent);
        boolean states = query.flag("stateBookmarks").orElse(serverSent);
        return new ListOptions(
                query.text("resourceVersion"),
                query.text(MATCH),
                limit == null ? 0 : limit,
                query.text("continue"),
                labels,
                fields,
                query.text(SHARD_SELECTOR),
                new StreamingOptions(
                        query.flag(INITIAL_EVENTS).orElse(null),
                        bookmarks,
                        states && (serverSent || bookmarks),
                        bookmarkSeconds,
                        timeoutSeconds));
    }

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

    /** Whether the state at exactly the revision is requested. */
    public boolean isExact() {
        return match.equals(EXACT);
    }

    /** Whether the number of objects is limited. */
    public boolean isLimited() {
        return limit > 0;
    }

    /**
     * Parses the shard selector.
     *
     * @throws Rejection if it is malformed
     */
    public ShardSelector shard() throws Rejection {
        ShardSelector shard = ShardSelectorParser.parse(shardSelector);
        checkValues(SHARD_SELECTOR, shard.ranges().size());
        return shard;
    }

    /**
     * Parses a revision. Leading zeros are allowed (list-watch.md#de-4).
     *
     * <p>Like current API servers, kubemirror refuses values that exceed 64 bits as long as the
     * collection's own revision does not. The API conventions allow longer ones (KEP-5504).
     *
     * @param text the parameter, empty for any revision
     * @param current the revision of the collection
     * @throws Rejection if the text is not a revision
     */
    public static Revision revision(String text, Revision current) throws Rejection {
        if (text.isEmpty()) {
            return Revision.ZERO;
        }
        if (!text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw invalidRevision(text, "invalid syntax");
        }
        Revision revision = new Revision(text.replaceFirst("^0+(?!$)", ""));
        if (revision.isAfter(MAX_64_BIT) && !current.isAfter(MAX_64_BIT)) {
            throw invalidRevision(text, "value out of range");
        }
        return revision;
    }

    /** Returns the field selector of one name (list-watch.md#pa-7). */
    public static FieldSelector ofName(String name) throws Rejection {
        String escaped = name.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=");
        return FieldSelectorParser.parse(NAME + "=" + escaped);
    }

    /**
     * Returns options that resume after the revision that an earlier stream has reached
     * (list-watch.md#se-6).
     */
    public ListOptions resumedAfter(String reached) {
        return with(reached, "", null);
    }

    private ListOptions with(String start, String matching, @Nullable Boolean initialEvents) {
        return new ListOptions(
                start,
                matching,
                limit,
                token,
                labels,
                fields,
                shardSelector,
                new StreamingOptions(
                        initialEvents,
                        streaming.bookmarks(),
                        streaming.states(),
                        streaming.bookmarkSeconds(),
                        streaming.timeoutSeconds()));
    }

    /**
     * Returns options with the defaults of a watch: with no or any revision, it begins with the
     * current state (list-watch.md#wa-2).
     */
    public ListOptions withWatchDefaults() {
        if (!isOpen() || !match.isEmpty() || streaming.initialEvents() != null) {
            return this;
        }
        return with(revision, NOT_OLDER_THAN, true);
    }

    /**
     * Returns the options of a deprecated path that names one object (list-watch.md#pa-7, #pa-9).
     *
     * @throws Rejection if the options select a different object
     */
    public ListOptions named(String name) throws Rejection {
        if (fields.isEverything()) {
            return new ListOptions(
                    revision, match, limit, token, labels, ofName(name), shardSelector, streaming);
        }
        if (!fields.required(NAME).equals(Optional.of(name))) {
            throw Rejection.badRequest("fieldSelector metadata.name doesn't match requested name");
        }
        return this;
    }

    /**
     * Checks the options of a list, or of a watch on a deprecated path (list-watch.md#pa-9).
     *
     * @throws Rejection with all violations (list-watch.md#va-1 to #va-5, #va-11)
     */
    public void checkList() throws Rejection {
        List<Cause> causes = new ArrayList<>();
        if (!match.isEmpty()) {
            if (revision.isEmpty()) {
                forbid(MATCH, "is forbidden unless resourceVersion is provided", causes);
            }
            if (!token.isEmpty()) {
                forbid(MATCH, "is forbidden when continue is provided", causes);
            }
            if (!isExact() && !match.equals(NOT_OLDER_THAN)) {
                refuseMatch("\"Exact\", \"NotOlderThan\", \"\"", causes);
            }
            if (isExact() && revision.equals("0")) {
                forbid(MATCH, "\"exact\" is forbidden for resourceVersion \"0\"", causes);
            }
        }
        if (streaming.initialEvents() != null) {
            forbid(INITIAL_EVENTS, "is forbidden for list", causes);
        }
        requireNone(causes);
    }

    /**
     * Checks the options of a watch.
     *
     * @throws Rejection with all violations (list-watch.md#va-6 to #va-9, #va-11)
     */
    public void checkWatch() throws Rejection {
        List<Cause> causes = new ArrayList<>();
        boolean initialEvents = streaming.initialEvents() != null;
        if (initialEvents && !match.equals(NOT_OLDER_THAN)) {
            causes.add(
                    forbidden(
                            MATCH,
                            "sendInitialEvents requires setting resourceVersionMatch to"
                                    + " NotOlderThan"));
        }
        if (!match.isEmpty()) {
            if (!initialEvents) {
                forbid(
                        MATCH,
                        "is forbidden for watch unless sendInitialEvents is provided",
                        causes);
            }
            if (!match.equals(NOT_OLDER_THAN)) {
                refuseMatch("\"NotOlderThan\"", causes);
            }
            if (!token.isEmpty()) {
                forbid(MATCH, "is forbidden when continue is provided", causes);
            }
        }
        requireNone(causes);
    }

    private static void forbid(String field, String why, List<Cause> causes) {
        causes.add(forbidden(field, field + " " + why));
    }

    private static Cause forbidden(String field, String why) {
        return new Cause("FieldValueForbidden", "Forbidden: " + why, field);
    }

    private void refuseMatch(String supported, List<Cause> causes) {
        String text = GoJson.text(match) + ": supported values: " + supported;
        causes.add(new Cause("FieldValueNotSupported", "Unsupported value: " + text, MATCH));
    }

    private static void requireNone(List<Cause> causes) throws Rejection {
        if (!causes.isEmpty()) {
            throw new Rejection(StatusErrors.invalidOptions(causes));
        }
    }

    private static void checkValues(String name, int count) throws Rejection {
        if (count > MAX_VALUES) {
            throw Rejection.badRequest(name + " has more than " + MAX_VALUES + " values");
        }
    }

    private static @Nullable Long bookmarkSeconds(Query query) throws Rejection {
        Long seconds = number(query, "bookmarkIntervalSeconds");
        if (seconds != null && seconds < 1) {
            throw Rejection.badRequest(
                    "bookmarkIntervalSeconds is " + seconds + "; use 1 or more, or omit it");
        }
        return seconds;
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
        return Rejection.badRequest(
                "strconv.ParseInt: parsing " + GoString.quote(text) + ": " + why);
    }

    private static Rejection invalidRevision(String text, String why) {
        String quoted = GoString.quote(text);
        return Rejection.badRequest(
                ("invalid resource version: resourceVersion: Invalid value: %1$s:"
                                + " strconv.ParseUint: parsing %1$s: %2$s")
                        .formatted(quoted, why));
    }
}
