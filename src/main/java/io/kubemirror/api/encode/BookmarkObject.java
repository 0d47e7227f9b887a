package io.kubemirror.api.encode;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;

import java.util.Map;

/**
 * Creates bookmarks as objects, as they appear in every format of a watch (list-watch.md#bm-2,
 * #ne-28, #ne-32).
 */
final class BookmarkObject {

    private static final String OPENING = "{\"metadata\":";
    private static final String VERSION = "{\"resourceVersion\":\"";
    private static final String END = ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}";

    /** The empty key, which no other object has. */
    private static final ObjectKey KEY = new ObjectKey("");

    private BookmarkObject() {}

    /** Returns whether an object is a bookmark. */
    static boolean is(KubeObject object) {
        return object.key().equals(KEY);
    }

    /**
     * Creates an object with nothing but a revision.
     *
     * @param endsInitialEvents whether the bookmark ends the initial events (list-watch.md#bm-10)
     */
    static KubeObject at(Revision revision, boolean endsInitialEvents) {
        String metadata = VERSION + revision + "\"" + (endsInitialEvents ? END : "") + "}";
        int start = OPENING.length();
        int version = start + VERSION.length();
        return new KubeObject(
                KEY,
                "",
                revision,
                Map.of(),
                Map.of(),
                TypeMeta.bytes(OPENING + metadata + "}"),
                new KubeObject.Span(start, start + metadata.length()),
                new KubeObject.Span(version, version + revision.digits().length()));
    }
}
