package io.kubemirror.api.encode;

import module java.base;

import io.kubemirror.api.http.GoJson;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Writes single objects, for the response to a get and for the events of a watch. */
@FunctionalInterface
public interface ObjectEncoder {

    /** Writes an object or a bookmark, which is an object with nothing but a revision. */
    void write(KubeObject object, OutputStream out) throws IOException;

    /** Returns whether the output for a state is always the same and can be shared. */
    default boolean isShared() {
        return true;
    }

    /** Returns what writes whole objects as items of a list (list-watch.md#en-1). */
    static ObjectEncoder items(ResourceType type) {
        return new TypeMeta(type)::writeItem;
    }

    /** Returns the bytes of a text on the wire. */
    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Writes objects with the {@code kind} and {@code apiVersion} of their type, inserted into the
     * stored bytes at the position that the API server uses (list-watch.md#en-1). The members of
     * custom resources are in alphabetical order.
     */
    final class TypeMeta implements ObjectEncoder {

        private static final String API_VERSION = "apiVersion";
        private static final String KIND = "kind";

        private final boolean builtIn;
        private final byte[] kind;
        private final byte[] version;

        public TypeMeta(ResourceType type) {
            this.builtIn = type.builtIn();
            this.kind = bytes("\"kind\":\"" + type.kind() + "\",");
            this.version = bytes("\"apiVersion\":\"" + type.apiVersion() + "\",");
        }

        /** Writes a single object (list-watch.md#en-1). */
        @Override
        public void write(KubeObject object, OutputStream out) throws IOException {
            if (!builtIn) {
                writeCustom(object.json(), out);
                return;
            }
            out.write('{');
            out.write(kind);
            out.write(version);
            out.write(object.json(), 1, object.json().length - 1);
        }

        private void writeItem(KubeObject object, OutputStream out) throws IOException {
            if (builtIn) {
                out.write(object.json());
            } else {
                writeCustom(object.json(), out);
            }
        }

        private void writeCustom(byte[] json, OutputStream out) throws IOException {
            // Most objects begin with their metadata.
            boolean first = json.length > 2 && json[1] == '"' && json[2] > 'k';
            int[] places = first ? new int[] {1, 1} : places(json);
            out.write(json, 0, places[0]);
            out.write(version);
            out.write(json, places[0], places[1] - places[0]);
            out.write(kind);
            out.write(json, places[1], json.length - places[1]);
        }

        /** Returns where the first members after {@code apiVersion} and {@code kind} begin. */
        private static int[] places(byte[] json) {
            int[] places = {0, 0};
            try (JsonParser parser = GoJson.parser(json, 0, json.length)) {
                parser.nextToken();
                while (places[1] == 0 && parser.nextToken() == JsonToken.PROPERTY_NAME) {
                    int at = (int) parser.currentTokenLocation().getByteOffset();
                    String name = parser.currentName();
                    if (places[0] == 0 && name.compareTo(API_VERSION) > 0) {
                        places[0] = at;
                    }
                    if (name.compareTo(KIND) > 0) {
                        places[1] = at;
                    }
                    parser.nextToken();
                    parser.skipChildren();
                }
            }
            // Without a member after the kind, which no API server sends, the order is any.
            return places[1] == 0 ? new int[] {1, 1} : places;
        }
    }

    /**
     * Writes only the metadata of an object, extracted from its stored bytes (list-watch.md#ne-30,
     * #ne-30). This works for mirrors of metadata and for mirrors of whole objects.
     */
    final class MetadataEncoder implements ObjectEncoder {

        private static final String MEMBER = "\"metadata\":";

        private final byte[] opening;

        /** Creates an encoder for a version of the metadata group, such as {@code v1}. */
        public MetadataEncoder(String version) {
            this(
                    bytes(
                            "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/"
                                    + version
                                    + "\","
                                    + MEMBER));
        }

        private MetadataEncoder(byte[] opening) {
            this.opening = opening;
        }

        /** Returns an encoder of objects without kind and API version (list-watch.md#ne-30). */
        static MetadataEncoder untyped() {
            return new MetadataEncoder(bytes("{" + MEMBER));
        }

        @Override
        public void write(KubeObject object, OutputStream out) throws IOException {
            KubeObject.Span metadata = object.metadata();
            out.write(opening);
            out.write(object.json(), metadata.start(), metadata.end() - metadata.start());
            out.write('}');
        }
    }

    /**
     * Writes objects without {@code metadata.managedFields}, as another encoder does
     * (list-watch.md#ne-34). The member is found in the stored bytes, so objects do not have to
     * remember where it is for clients that may never ask.
     *
     * @param objects writes the rest
     */
    record WithoutManagedFields(ObjectEncoder objects) implements ObjectEncoder {

        @Override
        public void write(KubeObject object, OutputStream out) throws IOException {
            KubeObject.Span member = member(object.json(), object.metadata());
            objects.write(member == null ? object : without(object, member), out);
        }

        @Override
        public boolean isShared() {
            return objects.isShared();
        }

        /** Returns the same state without a part of its metadata, which is not the revision. */
        private static KubeObject without(KubeObject object, KubeObject.Span part) {
            byte[] json = object.json();
            int length = part.end() - part.start();
            byte[] rest = Arrays.copyOf(json, json.length - length);
            System.arraycopy(json, part.end(), rest, part.start(), json.length - part.end());
            KubeObject.Span metadata = object.metadata();
            KubeObject.Span version = object.version();
            int moved = version.start() < part.start() ? 0 : length;
            return new KubeObject(
                    object.key(),
                    object.uid(),
                    object.revision(),
                    object.labels(),
                    object.fields(),
                    rest,
                    new KubeObject.Span(metadata.start(), metadata.end() - length),
                    new KubeObject.Span(version.start() - moved, version.end() - moved));
        }

        /** Returns the member, with the comma before it, or after it if it is first. */
        private static KubeObject.@Nullable Span member(byte[] json, KubeObject.Span in) {
            int length = in.end() - in.start();
            try (JsonParser parser = GoJson.parser(json, in.start(), length)) {
                parser.nextToken();
                int before = -1;
                while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                    boolean found = parser.currentName().equals("managedFields");
                    int name = in.start() + (int) parser.currentTokenLocation().getByteOffset();
                    parser.nextToken();
                    parser.skipChildren();
                    parser.finishToken();
                    int end = in.start() + (int) parser.currentLocation().getByteOffset();
                    if (found && before < 0 && parser.nextToken() == JsonToken.PROPERTY_NAME) {
                        end = in.start() + (int) parser.currentTokenLocation().getByteOffset();
                    }
                    if (found) {
                        return new KubeObject.Span(before < 0 ? name : before, end);
                    }
                    before = end;
                }
                return null;
            }
        }
    }
}
