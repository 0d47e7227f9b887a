package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.feature.etcd.StoredCollection.UnreadableValue;
import io.kubemirror.kube.json.DocumentReader;
import io.kubemirror.kube.json.ObjectReader.ReadResult;
import io.kubemirror.kube.json.TransportFailure.MalformedResponseException;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.source.ResourceCollection;

import okio.ByteString;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the key-value pairs of a collection as objects, and evaluates the selection, which etcd
 * cannot do.
 *
 * <p>The revision of an object is the {@code mod_revision} of its key. Rejected: that in the
 * document, which nothing in etcd checks, and from which no watch could continue.
 */
final class EntryReader {

    /** The maximum size of a key, more than ten times that of a Kubernetes object. */
    private static final int MAX_KEY_LENGTH = 16 * 1024;

    private final StoredCollection stored;
    private final Selection selection;
    private final DocumentReader documents;
    private final int limit;
    private final MemoryBudget incoming;

    /**
     * Creates a reader.
     *
     * @param limit the maximum size of a value, in bytes
     * @param incoming the budget for values while they are read
     * @throws IllegalArgumentException if the selection has a field that is not a path
     */
    EntryReader(
            StoredCollection stored,
            ResourceCollection collection,
            int limit,
            MemoryBudget incoming) {
        this.stored = stored;
        this.selection = collection.selection();
        this.documents = DocumentReader.selecting(collection);
        this.limit = limit;
        this.incoming = incoming;
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
     * @param object the object, null if there is none, if the selection does not match, or if the
     *     value cannot be read
     * @param problem why the value cannot be read, null if it can or if there is none
     */
    record StoredEntry(
            ByteString key,
            long created,
            Revision modified,
            @Nullable KubeObject object,
            @Nullable UnreadableValue problem) {}

    /** Reads the key-value pair that is the reader's current field. */
    StoredEntry read(ProtobufReader in) throws IOException {
        long around = in.enter();
        ByteString key = ByteString.EMPTY;
        long created = 0;
        Revision modified = Revision.ZERO;
        byte[] value = {};
        long reserved = 0;
        try {
            for (int field = in.nextField(); field != 0; field = in.nextField()) {
                switch (field) {
                    case 1 -> key = in.text(MAX_KEY_LENGTH);
                    case 2 -> created = in.number();
                    case 3 -> modified = in.revision();
                    case 5 -> {
                        // Only the last of several values counts.
                        value = new byte[0];
                        incoming.release(reserved);
                        reserved = 0;
                        long length = in.length();
                        reserved = reserve(length);
                        value = in.bytes(length);
                    }
                    default -> {}
                }
            }
            in.leave(around);
            return entry(key, created, modified, value);
        } finally {
            incoming.release(reserved);
        }
    }

    private long reserve(long length) throws MalformedResponseException {
        if (length > limit) {
            throw new MalformedResponseException("an object is larger than " + limit + " bytes");
        }
        if (!incoming.tryAcquire(DocumentReader.COPIES * length)) {
            throw new MalformedResponseException(
                    "not enough memory for an object of " + length + " bytes");
        }
        return DocumentReader.COPIES * length;
    }

    private StoredEntry entry(ByteString key, long created, Revision modified, byte[] value)
            throws MalformedResponseException {
        if (!key.startsWith(stored.start(selection.namespace()))) {
            throw new MalformedResponseException("a key outside of the requested range");
        }
        if (created == 0) {
            return new StoredEntry(key, created, modified, null, null);
        }
        KubeObject object = object(value, modified).orElse(null);
        return object != null && object.key().equals(stored.objectKey(key))
                ? new StoredEntry(
                        key, created, modified, selection.matches(object) ? object : null, null)
                : new StoredEntry(key, created, modified, null, UnreadableValue.of(value));
    }

    private Optional<KubeObject> object(byte[] json, Revision revision) {
        return documents.read(json, revision) instanceof ReadResult.Whole(var object)
                ? Optional.of(object)
                : Optional.empty();
    }

    /** Returns the creation time of the object that was read last, or null if it has none. */
    @Nullable Instant created() {
        return documents.created();
    }

    /**
     * Returns the object of a deleted key whose last value is not available: its name, and the
     * revision of the deletion. Empty if the key belongs to no object.
     */
    Optional<KubeObject> named(StoredEntry deleted) {
        ObjectKey name = stored.objectKey(deleted.key());
        if (name == null) {
            return Optional.empty();
        }
        Map<String, String> metadata =
                name.namespace().isEmpty()
                        ? Map.of("name", name.name())
                        : Map.of("name", name.name(), "namespace", name.namespace());
        byte[] json = JsonMapper.shared().writeValueAsBytes(Map.of("metadata", metadata));
        return object(json, deleted.modified());
    }
}
