package io.kubemirror.api.encode;

import static io.kubemirror.api.encode.ObjectEncoder.bytes;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;

/**
 * A JSON document on one line that is streamed rather than built in memory: objects with commas
 * between them (list-watch.md#en-5, #en-6, #en-8). It can be written several times, with the same
 * bytes each time.
 *
 * @param head the document up to the first object
 * @param objects the objects
 * @param items encodes each object
 * @param tail the document after the last object, with a newline at its end
 */
@SuppressWarnings("ArrayRecordComponent")
public record JsonDocument(
        byte[] head, Iterable<KubeObject> objects, ObjectEncoder items, byte[] tail) {

    /** Returns a single object, written from its stored bytes (list-watch.md#en-1, #en-8). */
    static JsonDocument of(KubeObject object, ObjectEncoder form) {
        return new JsonDocument(new byte[0], List.of(object), form, bytes("\n"));
    }

    /**
     * Returns a list of whole objects.
     *
     * @param listKind the kind of the list
     * @param items writes each object, as {@link ObjectEncoder#items} does
     */
    public static JsonDocument list(
            ResourceType type, String listKind, ListPage page, ObjectEncoder items) {
        String kind = "\"kind\":\"" + listKind + "\",";
        String version = "\"apiVersion\":\"" + type.apiVersion() + "\",";
        String start = "\"items\":[";
        return type.builtIn()
                ? new JsonDocument(
                        bytes("{" + kind + version + page.shardedMetadata() + "," + start),
                        page.objects(),
                        items,
                        bytes("]" + page.groups() + "}\n"))
                : new JsonDocument(
                        bytes("{" + version + start),
                        page.objects(),
                        items,
                        bytes("]," + kind + page.metadata(true) + page.groups() + "}\n"));
    }

    /**
     * Returns a list of object metadata (list-watch.md#ne-30).
     *
     * @param version the version of the format, such as {@code v1}
     * @param items writes each object
     */
    static JsonDocument metadataList(String version, ListPage page, ObjectEncoder items) {
        String head =
                ("{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/%s\",%s,"
                                + "\"items\":[")
                        .formatted(version, page.metadata(false));
        return new JsonDocument(
                bytes(head), page.objects(), items, bytes("]" + page.groups() + "}\n"));
    }

    /** Begins to write the document. */
    Writing begin(OutputStream out) {
        return new Writing(out);
    }

    /** Writes the whole document. */
    public void write(OutputStream out) throws IOException {
        Writing writing = begin(out);
        while (writing.next()) {
            // Until the end.
        }
    }

    /** The writing of the document, in steps of about one object. */
    final class Writing {

        private final OutputStream out;
        private final Iterator<KubeObject> rest = objects.iterator();
        private int steps;

        private Writing(OutputStream out) {
            this.out = out;
        }

        /** Takes a step, and returns whether there are more. */
        boolean next() throws IOException {
            steps++;
            if (steps == 1) {
                out.write(head);
                return true;
            }
            if (!rest.hasNext()) {
                out.write(tail);
                return false;
            }
            if (steps > 2) {
                out.write(',');
            }
            items.write(rest.next(), out);
            return true;
        }
    }
}
