package io.kubemirror.api.http;

import java.util.stream.Stream;

/**
 * The options with which a mirror sorts or counts a list, which no API server knows
 * (list-watch.md#order).
 *
 * @param sortBy the path of the value to sort by, without the sign of the direction, empty for none
 * @param descending whether the largest value is first
 * @param counted whether the objects are counted, not sent
 * @param groupBy the path of the value to count by, empty for none
 */
public record OrderOptions(String sortBy, boolean descending, boolean counted, String groupBy) {

    private static final String SORT = "sortBy";
    private static final String COUNT = "count";
    private static final String GROUP = "groupBy";

    /**
     * Parses the options.
     *
     * @throws Rejection if they cannot be combined (list-watch.md#or-8)
     */
    static OrderOptions decode(Query query) throws Rejection {
        String sort = query.text(SORT);
        String count = query.text(COUNT);
        String group = query.text(GROUP);
        boolean counted = !count.isEmpty() || !group.isEmpty();
        if (!count.isEmpty() && !count.equals("only")) {
            throw Rejection.badRequest(
                    "invalid count: " + GoJson.quote(count) + ": the supported value is \"only\"");
        }
        if (counted && !sort.isEmpty()) {
            throw Rejection.badRequest("sortBy is forbidden when objects are counted");
        }
        if (counted && Stream.of("limit", "continue").anyMatch(name -> isSet(query, name))) {
            throw Rejection.badRequest("limit and continue are forbidden when objects are counted");
        }
        boolean descending = sort.startsWith("-");
        if (descending && sort.length() == 1) {
            throw Rejection.badRequest("invalid sortBy: \"-\": a path has to follow");
        }
        return new OrderOptions(descending ? sort.substring(1) : sort, descending, counted, group);
    }

    private static boolean isSet(Query query, String name) {
        String text = query.text(name);
        return !text.isEmpty() && !text.equals("0");
    }

    /**
     * Refuses a request that only an API server can answer, or that is for a stream: the options
     * would be ignored without a word (list-watch.md#or-9, #or-10).
     *
     * @param why who does not know the options
     * @throws Rejection if the query has any of them
     */
    public static void refuse(Query query, String why) throws Rejection {
        for (String name : new String[] {SORT, COUNT, GROUP}) {
            if (query.get(name).isPresent()) {
                throw Rejection.badRequest(name + " is not supported: " + why);
            }
        }
    }

    /** Whether the list is sorted. */
    public boolean isSorted() {
        return !sortBy.isEmpty();
    }

    /** Whether the list is sorted or counted. */
    public boolean isPresent() {
        return isSorted() || counted;
    }

    /** Returns the path of the value to sort or to count by, empty for none. */
    public String path() {
        return counted ? groupBy : sortBy;
    }

    /** Returns everything that determines the order, for tokens and tags, empty for key order. */
    public String text() {
        return isSorted() ? (descending ? "-" : "") + sortBy : counted ? "#" + groupBy : "";
    }
}
