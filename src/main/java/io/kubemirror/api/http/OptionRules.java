package io.kubemirror.api.http;

import io.kubemirror.model.Status.Cause;

import java.util.ArrayList;
import java.util.List;

/** Validates combinations of options (list-watch.md#options). */
public final class OptionRules {

    public static final String EXACT = "Exact";
    static final String NOT_OLDER_THAN = "NotOlderThan";

    private static final String MATCH = "resourceVersionMatch";
    private static final String INITIAL_EVENTS = "sendInitialEvents";

    private final List<Cause> causes = new ArrayList<>();

    private OptionRules() {}

    /**
     * Validates the options of a list, or of a watch on a deprecated path (list-watch.md#pa-9).
     *
     * @throws Rejection with all violations (list-watch.md#va-1 to #va-5, #va-11)
     */
    public static void checkList(ListOptions options) throws Rejection {
        OptionRules rules = new OptionRules();
        String match = options.state().match();
        if (!match.isEmpty()) {
            rules.checkMatchOfList(options.state().revision(), match, options.paging().token());
        }
        if (options.streaming().initialEvents() != null) {
            rules.forbid(INITIAL_EVENTS, "sendInitialEvents is forbidden for list");
        }
        rules.decide();
    }

    /**
     * Validates the options of a watch.
     *
     * @throws Rejection with all violations (list-watch.md#va-6 to #va-9, #va-11)
     */
    public static void checkWatch(ListOptions options) throws Rejection {
        OptionRules rules = new OptionRules();
        String match = options.state().match();
        boolean initialEvents = options.streaming().initialEvents() != null;
        if (initialEvents && !match.equals(NOT_OLDER_THAN)) {
            rules.forbid(
                    MATCH,
                    "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
        }
        if (!match.isEmpty()) {
            rules.checkMatchOfWatch(initialEvents, match, options.paging().token());
        }
        rules.decide();
    }

    private void checkMatchOfList(String revision, String match, String token) {
        if (revision.isEmpty()) {
            forbid(MATCH, "resourceVersionMatch is forbidden unless resourceVersion is provided");
        }
        if (!token.isEmpty()) {
            forbid(MATCH, "resourceVersionMatch is forbidden when continue is provided");
        }
        if (!match.equals(EXACT) && !match.equals(NOT_OLDER_THAN)) {
            refuseValue(match, "\"Exact\", \"NotOlderThan\", \"\"");
        }
        if (match.equals(EXACT) && revision.equals("0")) {
            forbid(MATCH, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
        }
    }

    private void checkMatchOfWatch(boolean initialEvents, String match, String token) {
        if (!initialEvents) {
            forbid(
                    MATCH,
                    "resourceVersionMatch is forbidden for watch unless sendInitialEvents is"
                            + " provided");
        }
        if (!match.equals(NOT_OLDER_THAN)) {
            refuseValue(match, "\"NotOlderThan\"");
        }
        if (!token.isEmpty()) {
            forbid(MATCH, "resourceVersionMatch is forbidden when continue is provided");
        }
    }

    private void forbid(String field, String why) {
        causes.add(new Cause("FieldValueForbidden", "Forbidden: " + why, field));
    }

    private void refuseValue(String value, String supported) {
        causes.add(
                new Cause(
                        "FieldValueNotSupported",
                        "Unsupported value: "
                                + StatusJson.quote(value)
                                + ": supported values: "
                                + supported,
                        MATCH));
    }

    private void decide() throws Rejection {
        if (!causes.isEmpty()) {
            throw new Rejection(StatusErrors.invalidOptions(causes));
        }
    }
}
