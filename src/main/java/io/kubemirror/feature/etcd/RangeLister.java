package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.feature.etcd.EntryReader.StoredEntry;
import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.ListRequest.RevisionMatch;

import okio.ByteString;

import org.jspecify.annotations.Nullable;

/**
 * Lists one page of a collection as ranges at one revision. A page that the selection empties is
 * continued until it has an object, and a list without a limit is read in ranges too. Used once, by
 * one thread.
 */
final class RangeLister {

    /** The number of keys in a range if the request has no limit, as client-go lists. */
    private static final int RANGE_SIZE = 500;

    private final EtcdTransport transport;
    private final EntryReader entries;
    private final ListRequest request;
    private final Consumer<KubeObject> objects;

    /** The revision of the list, 0 until the first range. */
    private Revision revision = Revision.ZERO;

    /** The smallest key that has not been read, null before the first range. */
    private @Nullable ByteString next;

    private int size;
    private long keys;
    private boolean found;

    /**
     * Creates a lister.
     *
     * @throws IllegalArgumentException if the request has an invalid continue token
     */
    RangeLister(
            EtcdTransport transport,
            EntryReader entries,
            ListRequest request,
            Consumer<KubeObject> objects) {
        this.transport = transport;
        this.entries = entries;
        this.request = request;
        this.objects = objects;
        this.size = request.limit() > 0 ? request.limit() : RANGE_SIZE;
        if (request.continueToken() != null) {
            resume(request.continueToken());
        } else if (request.match() == RevisionMatch.EXACT && request.revision() != null) {
            revision = request.revision();
        }
    }

    private void resume(String token) {
        String[] parts = token.split(":", 2);
        next = parts.length < 2 ? null : ByteString.decodeBase64(parts[1]);
        if (next == null) {
            throw new IllegalArgumentException("not a continue token");
        }
        revision = new Revision(parts[0]);
    }

    /** Reads the page. */
    ListMeta read() throws IOException {
        while (true) {
            long remaining = remaining();
            if (isTooOld()) {
                throw EtcdException.tooLargeRevision();
            }
            if (remaining == 0 || next == null) {
                return new ListMeta(revision, null);
            }
            if (request.limit() > 0 && found) {
                return new ListMeta(revision, revision.digits() + ":" + next.base64Url());
            }
        }
    }

    /** Reads a range, of fewer keys if these are large. Returns how many keys follow it. */
    private long remaining() throws IOException {
        ProtobufWriter message =
                entries.from(next).number(3, size).number(4, Long.parseLong(revision.digits()));
        try {
            return transport.range(message, this::range);
        } catch (EtcdException e) {
            if (e.isLarge() && size > 1) {
                size /= 2;
                return remaining();
            }
            throw e;
        }
    }

    private long range(ProtobufMessage in) throws IOException {
        keys = 0;
        in.each(2, pair -> pass(entries.read(pair)));
        long count = in.number(4);
        ProtobufMessage.require(keys > 0 || count == 0, "a range has fewer keys than it counts");
        revision = revision.isZero() ? in.header() : revision;
        return Math.max(0, count - keys);
    }

    private void pass(StoredEntry entry) throws IOException {
        ProtobufMessage.require(
                next == null || entry.key().compareTo(next) >= 0,
                "a key outside of the requested range");
        byte[] key = entry.key().toByteArray();
        next = ByteString.of(Arrays.copyOf(key, key.length + 1));
        keys++;
        if (entry.object() != null) {
            found = true;
            objects.accept(entry.object());
        }
    }

    /** A member that was restored from a backup has an older state than requested. */
    private boolean isTooOld() {
        Revision wanted = request.revision();
        return wanted != null
                && request.match() == RevisionMatch.NOT_OLDER_THAN
                && revision.isBefore(wanted);
    }
}
