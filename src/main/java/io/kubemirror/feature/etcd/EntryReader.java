package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.kube.json.DocumentReader;
import io.kubemirror.kube.json.ObjectReader.ReadResult;
import io.kubemirror.kube.json.TransportFailure.MalformedResponseException;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.source.ResourceCollection;

import okio.ByteString;

import org.jspecify.annotations.Nullable;

/**
 * Reads the key-value pairs of a collection as objects, and evaluates the selection, which etcd
 * cannot do.
 *
 * <p>The revision of an object is the {@code mod_revision} of its key. Rejected: that in the
 * document, which nothing in etcd checks, and from which no watch could continue.
 */
final class EntryReader {

    private final StoredCollection stored;
    private final Selection selection;
    private final DocumentReader documents;
    private final int limit;

    /**
     * Creates a reader.
     *
     * @param limit the maximum size of a value, in bytes
     * @throws IllegalArgumentException if the selection has a field that is not a path
     */
    EntryReader(StoredCollection stored, ResourceCollection collection, int limit) {
        this.stored = stored;
        this.selection = collection.selection();
        this.documents = new DocumentReader(collection);
        this.limit = limit;
    }

    /** Returns where the objects are. */
    StoredCollection stored() {
        return stored;
    }

    /** Begins a request for all keys of the selected namespace from one on. */
    ProtobufWriter from(@Nullable ByteString key) {
        ByteString start = stored.start(selection.namespace());
        return new ProtobufWriter()
                .bytes(1, key == null ? start : key)
                .bytes(2, StoredCollection.end(start));
    }

    /**
     * A key with its value.
     *
     * @param created the revision at which the key was created, 0 if it is deleted
     * @param modified the revision of its last change
     * @param object the object, null if there is none, or if the selection does not match
     */
    record StoredEntry(
            ByteString key, long created, Revision modified, @Nullable KubeObject object) {}

    /**
     * Reads a key-value pair. A value that cannot be read fails the request, as in the API server:
     * a list without it would be partial.
     */
    StoredEntry read(ProtobufMessage pair) throws IOException {
        ByteString key = pair.bytes(1);
        ByteString value = pair.bytes(5);
        ProtobufMessage.require(
                value.size() <= limit, "an object is larger than " + limit + " bytes");
        ProtobufMessage.require(
                key.startsWith(stored.start(selection.namespace())),
                "a key outside of the requested range");
        long created = pair.number(2);
        Revision modified = pair.revision(3);
        ObjectKey name = stored.objectKey(key);
        KubeObject object = created == 0 || name == null ? null : object(value, modified, name);
        boolean selected = object != null && selection.matches(object);
        return new StoredEntry(key, created, modified, selected ? object : null);
    }

    private KubeObject object(ByteString value, Revision revision, ObjectKey name)
            throws IOException {
        if (documents.read(value.toByteArray(), revision) instanceof ReadResult.Whole(var object)
                && object.key().equals(name)) {
            return object;
        }
        throw new MalformedResponseException(stored.unreadable());
    }

    /** Returns the creation time of the object that was read last, or null if it has none. */
    @Nullable Instant created() {
        return documents.created();
    }
}
