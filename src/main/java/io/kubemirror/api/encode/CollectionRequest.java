package io.kubemirror.api.encode;

import module java.base;

import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;

/**
 * A validated list or watch request that a mirror can serve.
 *
 * @param type the type of the objects
 * @param mirror the mirror that serves the request
 * @param selection the requested objects
 * @param options the options
 * @param arrangement what the client gets in place of a list in key order, null for nothing
 */
public record CollectionRequest(
        ResourceType type,
        Mirror mirror,
        Selection selection,
        ListOptions options,
        @Nullable ListArrangement arrangement) {

    private static final byte[] NOTHING = {};

    /**
     * Returns whether the request requires the most recent state. A further page of a list has the
     * state of its list.
     */
    public boolean isForNewest() {
        return options.isNewest() && options.token().isEmpty();
    }

    /**
     * Returns whether the request requires the state at exactly one revision. This is also the
     * default if a revision is combined with a limit (list-watch.md#li-9).
     */
    public boolean isExact() {
        boolean paged = options.isLimited() && single().isEmpty();
        return options.isExact() || (options.match().isEmpty() && !options.isOpen() && paged);
    }

    /**
     * Returns whether only the mirror can answer: an API server may ignore what selects a shard, it
     * would ignore an order (list-watch.md#sh-8, #or-10), and it refuses fields that only the
     * mirror indexes.
     */
    public boolean isForMirrorOnly() {
        return !selection.shard().isEverything() || arrangement != null || isIndexed();
    }

    /**
     * Returns whether a query of a list has parameters that an API server does not know, or may
     * ignore: an order, a count, or a shard (list-watch.md#sh-8, #or-10).
     */
    public static boolean isForMirrorOnly(Query query) {
        return ListArrangement.isIn(query) || !query.text(ListOptions.SHARD_SELECTOR).isEmpty();
    }

    private boolean isIndexed() {
        FieldSelector fields = selection.fields();
        return !fields.isEverything()
                && SelectableFields.of(
                                type, mirror.declaredFields(), List.of(), mirror.scope().extent())
                        .objection(fields)
                        .isPresent();
    }

    /** Returns what determines the arrangement, empty for key order. */
    String arrangementText() {
        return arrangement == null ? "" : arrangement.text();
    }

    /**
     * Returns what a position in a sorted list depends on, for its tokens: the order, and a code
     * over the selected objects. Empty for key order, in which a token names a key
     * (list-watch.md#or-5).
     */
    public String order() {
        String order = arrangementText();
        return order.isEmpty()
                ? order
                : order
                        + " "
                        + DocumentEncoder.tag(
                                NOTHING,
                                type.group(),
                                type.plural(),
                                selection.namespace(),
                                selection.labels().text(),
                                selection.fields().text(),
                                selection.shard().text());
    }

    /**
     * Returns the key of the only object that can be in the list, if the selection names one
     * (list-watch.md#pa-6).
     */
    public Optional<ObjectKey> single() {
        boolean placed = !type.namespaced() || !selection.namespace().isEmpty();
        return placed && options.token().isEmpty()
                ? selection
                        .fields()
                        .required(ListOptions.NAME)
                        .map(name -> ObjectKey.of(selection.namespace(), name))
                : Optional.empty();
    }

    /**
     * Returns the requested page of a state.
     *
     * @param token where the page begins, null at the beginning
     * @param limited whether the limit applies
     * @throws Rejection if the token is of another list, or the list is too large to be sorted or
     *     counted
     */
    public ListPage page(Snapshot state, @Nullable ContinueToken token, boolean limited)
            throws Rejection {
        long limit = limited ? options.limit() : Long.MAX_VALUE;
        if (arrangement != null) {
            int from = token == null ? 0 : token.position(order());
            return arrangement.page(state, selection, from, limit, order());
        }
        String from = token == null ? "" : token.start();
        return single().map(key -> ListPage.single(state, selection, key))
                .orElseGet(
                        () ->
                                limited
                                        ? ListPage.limited(state, selection, from, limit)
                                        : ListPage.whole(state, selection, from));
    }
}
