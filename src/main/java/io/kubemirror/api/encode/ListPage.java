package io.kubemirror.api.encode;

import module java.base;

import io.kubemirror.api.encode.ListArrangement.ObjectCounts;
import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.http.GoJson;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.ShardSelector;

import org.jspecify.annotations.Nullable;

/**
 * The result of a list request: a snapshot or a part of it.
 *
 * @param revision the revision of the list
 * @param objects the objects in key order, or in the order that the request names; the objects of a
 *     complete list are selected while they are read
 * @param next the start of the next page, or null if there is none
 * @param remaining the number of objects after this page, 0 if there are none or the number is
 *     unknown (list-watch.md#co-4)
 * @param counts the numbers of objects that are sent in place of the objects, null for none
 * @param shard the shards of the objects
 */
public record ListPage(
        Revision revision,
        Iterable<KubeObject> objects,
        @Nullable ContinueToken next,
        long remaining,
        @Nullable ObjectCounts counts,
        ShardSelector shard) {

    private ListPage(
            Snapshot state,
            Iterable<KubeObject> objects,
            @Nullable ContinueToken next,
            long remaining,
            Selection selection) {
        this(state.revision(), objects, next, remaining, null, selection.shard());
    }

    /**
     * Returns all objects of a selection, starting at a key.
     *
     * @param from the minimum key, relative to the namespace of the selection
     */
    public static ListPage whole(Snapshot state, Selection selection, String from) {
        return new ListPage(state, select(state, selection, from), null, 0, selection);
    }

    /**
     * Returns the objects of a selection up to a limit.
     *
     * @param from the minimum key, relative to the namespace of the selection
     * @param limit the maximum number of objects, at least 1
     */
    static ListPage limited(Snapshot state, Selection selection, String from, long limit) {
        String namespace = selection.namespace();
        List<KubeObject> taken = new ArrayList<>();
        Iterator<KubeObject> objects = select(state, selection, from).iterator();
        while (taken.size() < limit && objects.hasNext()) {
            taken.add(objects.next());
        }
        int left = taken.size() < limit ? 0 : state.count(namespace, after(taken.getLast()));
        if (left == 0) {
            return new ListPage(state, taken, null, 0, selection);
        }
        // As the API server does, which shows the number in spite of a shard selector and counts as
        // if it selected everything (list-watch.md#sh-4).
        boolean countable = selection.labels().isEverything() && selection.fields().isEverything();
        int rest = state.count(namespace, absolute(namespace, from)) - taken.size();
        return new ListPage(
                state,
                taken,
                ContinueToken.after(state.revision(), relative(taken.getLast().key(), namespace)),
                countable ? rest : 0,
                selection);
    }

    /** Returns a list of at most one object (list-watch.md#pa-6). */
    static ListPage single(Snapshot state, Selection selection, ObjectKey key) {
        return new ListPage(
                state,
                state.get(key).filter(selection::matches).stream().toList(),
                null,
                0,
                selection);
    }

    /** Returns the first path after that of an object. */
    private static String after(KubeObject object) {
        return object.key().path() + "\0";
    }

    private static Iterable<KubeObject> select(Snapshot state, Selection selection, String from) {
        return state.select(selection, absolute(selection.namespace(), from));
    }

    private static String absolute(String namespace, String from) {
        return from.isEmpty() || namespace.isEmpty() ? from : namespace + "/" + from;
    }

    private static String relative(ObjectKey key, String namespace) {
        return namespace.isEmpty() ? key.path() : key.path().substring(namespace.length() + 1);
    }

    /** Returns the member {@code groups} with a leading comma, or nothing (list-watch.md#or-7). */
    String groups() {
        return counts == null || counts.groups().isEmpty()
                ? ""
                : ",\"groups\":" + GoJson.text(counts.groups());
    }

    /**
     * Returns the member {@code metadata} of a list of whole objects of a built-in type. Only that
     * contains the shards (list-watch.md#sh-3).
     */
    String shardedMetadata() {
        String metadata = metadata(false);
        return shard.isEverything()
                ? metadata
                : metadata.substring(0, metadata.length() - 1)
                        + ",\"shardInfo\":{\"selector\":"
                        + GoJson.text(shard.text())
                        + "}}";
    }

    /**
     * Returns the member {@code metadata} of the list (list-watch.md#en-5, #co-4, #sh-4).
     *
     * @param custom whether the revision comes last, as for custom resources, or first
     */
    public String metadata(boolean custom) {
        List<String> members = new ArrayList<>();
        if (next != null) {
            members.add("\"continue\":\"" + next.encode() + "\"");
        }
        if ((remaining > 0 && shard.isEverything()) || counts != null) {
            members.add("\"remainingItemCount\":" + remaining);
        }
        members.add(custom ? members.size() : 0, "\"resourceVersion\":\"" + revision + "\"");
        return "\"metadata\":{" + String.join(",", members) + "}";
    }
}
