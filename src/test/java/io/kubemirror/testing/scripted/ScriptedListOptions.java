package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.JsonTrees;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

/**
 * The options of a list or watch as the scripted server understands them, decoded and defaulted
 * (list-watch.md#options, #option-values, list-watch.md#wa-2). Combinations of options are not
 * checked, because kubemirror sends only valid ones.
 *
 * @param revision the revision as it was sent, empty for unset
 * @param match {@code Exact}, {@code NotOlderThan} or empty
 * @param limit the page size, 0 for none
 * @param continueToken the token, empty for none
 * @param initialEvents {@code sendInitialEvents}, null where it is absent
 * @param bookmarks {@code allowWatchBookmarks}
 * @param timeoutSeconds how long a watch may last; only a negative one is refused
 * @param selects whether there is any selector
 * @param selection the namespace and the selectors as one predicate
 */
record ScriptedListOptions(
        String revision,
        String match,
        long limit,
        String continueToken,
        @Nullable Boolean initialEvents,
        boolean bookmarks,
        long timeoutSeconds,
        boolean selects,
        Predicate<ObjectNode> selection) {

    private static final String NOT_OLDER_THAN = "NotOlderThan";

    static ScriptedListOptions of(ReceivedRequest request, ResourceType type) {
        boolean watch = request.verb() == ReceivedRequest.RequestVerb.WATCH;
        long limit = number(request, "limit");
        long timeout = number(request, "timeoutSeconds");
        String revision = request.parameter("resourceVersion");
        String match = request.parameter("resourceVersionMatch");
        Boolean initial =
                request.query().containsKey("sendInitialEvents")
                        ? request.isTrue("sendInitialEvents")
                        : null;
        String labels = request.parameter("labelSelector");
        String fields = request.parameter("fieldSelector");
        boolean defaulted =
                watch
                        && request.isTrue("watch")
                        && initial == null
                        && match.isEmpty()
                        && (revision.isEmpty() || revision.equals("0"));
        return new ScriptedListOptions(
                revision,
                defaulted ? NOT_OLDER_THAN : match,
                Math.max(0, limit),
                request.parameter("continue"),
                defaulted ? Boolean.TRUE : initial,
                request.isTrue("allowWatchBookmarks"),
                timeout,
                !labels.isEmpty() || !fields.isEmpty(),
                selection(request, type, labels, fields));
    }

    private static Predicate<ObjectNode> selection(
            ReceivedRequest request, ResourceType type, String labels, String fields) {
        Route route = request.route();
        String name = route.watchPath() ? route.name() : "";
        return ScriptedSelectors.of(type, route.namespace(), labels, fields)
                .and(object -> name.isEmpty() || JsonTrees.name(object).equals(name));
    }

    private static long number(ReceivedRequest request, String name) {
        if (!request.query().containsKey(name)) {
            return 0;
        }
        String text = request.parameter(name);
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            String why = text.matches("[+-]?[0-9]+") ? "value out of range" : "invalid syntax";
            throw StatusException.badRequest(
                    "strconv.ParseInt: parsing \"%s\": %s".formatted(text, why));
        }
    }

    /**
     * The revision as a number, 0 for unset; only decimal digits are accepted (list-watch.md#de-4).
     */
    long revisionNumber() {
        if (revision.isEmpty()) {
            return 0;
        }
        try {
            return Long.parseUnsignedLong(revision);
        } catch (NumberFormatException e) {
            throw StatusException.badRequest(
                    "invalid resource version: resourceVersion: Invalid value: \"%1$s\": %2$s"
                            .formatted(
                                    revision,
                                    "strconv.ParseUint: parsing \"%s\": invalid syntax"
                                            .formatted(revision)));
        }
    }
}
