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
     * A list in the format for clients. It is written object by object from the stored bytes and
     * never held in memory as a whole (list-watch.md#en-5, #en-6, #en-8).
     *
     * @param head the document up to the first object
     * @param page the objects
     * @param items encodes each object
     * @param tail the document after the last object
     */
    record ListDocument(String head, ListPage page, ObjectEncoder items, String tail)
            implements JsonDocument {

        /** Returns a list of whole objects. */
        public static ListDocument of(ResourceType type, ListPage page) {
            ObjectEncoder items = new ObjectEncoder.TypeMeta(type)::writeItem;
            String kind = "\"kind\":\"" + type.kind() + "List\",";
            String version = "\"apiVersion\":\"" + type.apiVersion() + "\",";
            String start = "\"items\":[";
            return type.builtIn()
                    ? new ListDocument(
                            "{" + kind + version + page.shardedMetadata() + "," + start,
                            page,
                            items,
                            "]" + page.groups() + "}\n")
                    : new ListDocument(
                            "{" + version + start,
                            page,
                            items,
                            "]," + kind + page.metadata(true) + page.groups() + "}\n");
        }

        /**
         * Returns a list of object metadata (list-watch.md#ne-30).
         *
         * @param version the version of the format, such as {@code v1}
         */
        static ListDocument ofMetadata(String version, ListPage page) {
            String head =
                    ("{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/%s\",%s,"
                                    + "\"items\":[")
                            .formatted(version, page.metadata(false));
            return new ListDocument(
                    head,
                    page,
                    new ObjectEncoder.MetadataEncoder(version),
                    "]" + page.groups() + "}\n");
        }

        @Override
        public Steps begin(OutputStream out) {
            return new ItemSteps(bytes(head), page, items, bytes(tail), out);
        }

        /** Writes a head, objects with commas between them, and a tail. */
        public static final class ItemSteps implements Steps {

            private final byte[] head;
            private final Iterator<KubeObject> objects;
            private final ObjectEncoder form;
            private final byte[] tail;
            private final OutputStream out;
            private int steps;

            public ItemSteps(
                    byte[] head, ListPage page, ObjectEncoder form, byte[] tail, OutputStream out) {
                this.head = head;
                this.objects = page.objects().iterator();
                this.form = form;
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
                form.write(objects.next(), out);
                return true;
            }
        }
    }
}
