package io.kubemirror.api.encode;

import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * What one list request gets: a part of a snapshot, or all of it.
 *
 * @param revision the revision of the list
 * @param objects the objects in key order; those of a whole list are selected while they are read
 * @param next where the next page begins, or null if there is none
 * @param remaining how many objects come after this page, 0 if there are none or it is unknown
 *     (list-watch.md#co-5)
 */
public record ListPage(
        Revision revision,
        Iterable<KubeObject> objects,
        @Nullable ContinueToken next,
        long remaining) {

    /**
     * All of a selection from a key on.
     *
     * @param from the first key that may be returned, relative to the selection's namespace
     */
    public static ListPage whole(Snapshot state, Selection selection, String from) {
        return new ListPage(state.revision(), select(state, selection, from), null, 0);
    }

    /**
     * As much of a selection as a page holds.
     *
     * @param from the first key that may be returned, relative to the selection's namespace
     * @param limit how many objects at most, at least 1
     */
    public static ListPage limited(Snapshot state, Selection selection, String from, long limit) {
        String namespace = selection.namespace();
        List<KubeObject> taken = new ArrayList<>();
        Iterator<KubeObject> objects = select(state, selection, from).iterator();
        while (taken.size() < limit && objects.hasNext()) {
            taken.add(objects.next());
        }
        // Whether any of what is left is selected, the API server does not look either.
        int left = taken.size() < limit ? 0 : state.count(namespace, after(taken.getLast()));
        if (left == 0) {
            return new ListPage(state.revision(), taken, null, 0);
        }
        boolean countable = selection.labels().isEverything() && selection.fields().isEverything();
        return new ListPage(
                state.revision(),
                taken,
                ContinueToken.after(state.revision(), relative(taken.getLast().key(), namespace)),
                countable ? left : 0);
    }

    /** A list of one object at most (list-watch.md#fs-8). */
    public static ListPage single(Snapshot state, Selection selection, ObjectKey key) {
        return new ListPage(
                state.revision(),
                state.get(key).filter(selection::matches).stream().toList(),
                null,
                0);
    }

    /** The first path behind an object's. */
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
}
