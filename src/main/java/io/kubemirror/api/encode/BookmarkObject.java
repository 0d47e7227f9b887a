package io.kubemirror.api.encode;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;

import java.util.Map;

/**
 * A bookmark as the object that it is in every form of a watch (list-watch.md#bm-2, #ne-28,
 * #ne-32).
 */
final class BookmarkObject {

    private static final String OPENING = "{\"metadata\":";
    private static final String VERSION = "{\"resourceVersion\":\"";
    private static final String END = ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}";

    /** No object has an empty key. */
    private static final ObjectKey KEY = new ObjectKey("");

    private BookmarkObject() {}

    /** Whether an object is a bookmark. */
    static boolean is(KubeObject object) {
        return object.key().equals(KEY);
    }

    /**
     * An object with nothing but a revision.
     *
     * @param endsInitialEvents whether this is what the initial events end with
     *     (list-watch.md#bm-10)
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
