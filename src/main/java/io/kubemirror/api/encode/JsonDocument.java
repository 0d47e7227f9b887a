package io.kubemirror.api.encode;

import static io.kubemirror.api.encode.ObjectEncoder.bytes;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;

/**
 * A JSON document on one line that is streamed rather than built in memory. It can be written
 * several times, with the same bytes each time.
 */
@FunctionalInterface
public interface JsonDocument {

    /** Begins to write the document, including the newline at its end (list-watch.md#en-8). */
    Steps begin(OutputStream out);

    /** The writing of a document, in steps of about one object. */
    @FunctionalInterface
    interface Steps {

        /** Takes a step, and returns whether there are more. */
        boolean next() throws IOException;
    }

    /** Writes the whole document. */
    default void write(OutputStream out) throws IOException {
        Steps steps = begin(out);
        boolean more = true;
        while (more) {
            more = steps.next();
        }
    }

    /** Returns a single object, written from its stored bytes (list-watch.md#en-1, #en-8). */
    static JsonDocument of(KubeObject object, ObjectEncoder form) {
        return out ->
                () -> {
                    form.write(object, out);
                    out.write('\n');
                    return false;
                };
    }

    /**
     * Returns a list of whole objects.
     *
     * @param items writes each object, as {@link ObjectEncoder#items} does
     */
    static JsonDocument list(ResourceType type, ListPage page, ObjectEncoder items) {
        String kind = "\"kind\":\"" + type.kind() + "List\",";
        String version = "\"apiVersion\":\"" + type.apiVersion() + "\",";
        String start = "\"items\":[";
        return type.builtIn()
                ? list(
                        bytes("{" + kind + version + page.shardedMetadata() + "," + start),
                        page,
                        items,
                        bytes("]" + page.groups() + "}\n"))
                : list(
                        bytes("{" + version + start),
                        page,
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
        return list(bytes(head), page, items, bytes("]" + page.groups() + "}\n"));
    }

    /**
     * Returns a list in the format for clients. It is written object by object from the stored
     * bytes and never held in memory as a whole (list-watch.md#en-5, #en-6, #en-8).
     *
     * @param head the document up to the first object
     * @param page the objects
     * @param items encodes each object
     * @param tail the document after the last object
     */
    static JsonDocument list(byte[] head, ListPage page, ObjectEncoder items, byte[] tail) {
        return out -> new ListSteps(head, page.objects().iterator(), items, tail, out);
    }

    /** Writes a head, objects with commas between them, and a tail. */
    final class ListSteps implements Steps {

        private final byte[] head;
        private final Iterator<KubeObject> objects;
        private final ObjectEncoder items;
        private final byte[] tail;
        private final OutputStream out;
        private int steps;

        private ListSteps(
                byte[] head,
                Iterator<KubeObject> objects,
                ObjectEncoder items,
                byte[] tail,
                OutputStream out) {
            this.head = head;
            this.objects = objects;
            this.items = items;
            this.tail = tail;
            this.out = out;
        }

        @Override
        public boolean next() throws IOException {
            steps++;
            if (steps == 1) {
                out.write(head);
                return true;
            }
            if (!objects.hasNext()) {
                out.write(tail);
                return false;
            }
            if (steps > 2) {
                out.write(',');
            }
            items.write(objects.next(), out);
            return true;
        }
    }
}
