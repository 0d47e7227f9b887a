package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.feature.etcd.EntryReader.StoredEntry;
import io.kubemirror.feature.etcd.EtcdTransport.CallRequest;
import io.kubemirror.feature.etcd.EtcdTransport.ResponseHeader;
import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
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

    static final String RANGE = "/etcdserverpb.KV/Range";

    /** The number of keys in a range if the request has no limit, as client-go lists. */
    private static final int RANGE_SIZE = 500;

    private final EtcdTransport transport;
    private final EntryReader entries;
    private final ListRequest request;
    private final Consumer<KubeObject> objects;

    private ContinueKey at;
    private int size;
    private boolean found;
    private boolean readable = true;
    private long cluster;

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
        this.at = ContinueKey.first(request);
        this.size = request.limit() > 0 ? request.limit() : RANGE_SIZE;
    }

    /** Returns the cluster that the page is from. */
    long cluster() {
        return cluster;
    }

    /** Returns whether all values of this page can be read. */
    boolean isReadable() {
        return readable;
    }

    /**
     * Reads the page.
     *
     * @param received receives the number of bytes that arrive
     */
    ListMeta read(LongConsumer received) throws IOException {
        while (true) {
            long remaining = remaining(received);
            if (isTooOld()) {
                throw EtcdException.tooLargeRevision();
            }
            if (remaining == 0 || (request.limit() > 0 && found)) {
                Selection selection = request.collection().selection();
                boolean everything =
                        selection.labels().isEverything() && selection.fields().isEverything();
                return new ListMeta(
                        at.revision(),
                        remaining == 0 ? null : at.token(),
                        everything && remaining > 0 ? remaining : null);
            }
        }
    }

    /** Reads a range, of fewer keys if these are large. Returns how many keys follow it. */
    private long remaining(LongConsumer received) throws IOException {
        ProtobufWriter message =
                entries.from(at.next())
                        .number(3, size)
                        .number(4, Long.parseLong(at.revision().digits()));
        try {
            return transport.call(
                    new CallRequest(RANGE, message, /* stream= */ false, received), this::range);
        } catch (EtcdException e) {
            if (e.isLarge() && size > 1) {
                size /= 2;
                return remaining(received);
            }
            throw request.continueToken() == null ? e : e.continued(at.at(Revision.ZERO).token());
        }
    }

    private long range(ProtobufReader in) throws IOException {
        ResponseHeader header = ResponseHeader.NONE;
        ContinueKey next = at;
        long keys = 0;
        long count = 0;
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case ResponseHeader.FIELD -> header = ResponseHeader.read(in);
                case 2 -> {
                    StoredEntry entry = entries.read(in);
                    next = next.after(entry);
                    pass(entry);
                    keys++;
                }
                case 4 -> count = in.number();
                default -> {}
            }
        }
        ProtobufReader.require(keys > 0 || count == 0, "a range has fewer keys than it counts");
        at = next.revision().isZero() ? next.at(header.revision()) : next;
        cluster = header.cluster();
        return Math.max(0, count - keys);
    }

    private void pass(StoredEntry entry) {
        readable &= entry.readable();
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
                && at.revision().isBefore(wanted);
    }

    /**
     * Where a list continues, and the content of its continue token.
     *
     * @param revision the revision of the list, 0 to continue at the present state
     * @param next the first key of the next page, null for the first one
     */
    private record ContinueKey(Revision revision, @Nullable ByteString next) {

        /** Returns where a request begins. */
        static ContinueKey first(ListRequest request) {
            Revision exact = request.match() == RevisionMatch.EXACT ? request.revision() : null;
            return request.continueToken() == null
                    ? new ContinueKey(exact == null ? Revision.ZERO : exact, null)
                    : parse(request.continueToken());
        }

        private static ContinueKey parse(String token) {
            String[] parts = token.split(":", 2);
            ByteString next = parts.length < 2 ? null : ByteString.decodeBase64(parts[1]);
            if (next == null) {
                throw new IllegalArgumentException("not a continue token");
            }
            return new ContinueKey(new Revision(parts[0]), next);
        }

        /** Returns the token. */
        String token() {
            return revision.digits() + ":" + (next == null ? "" : next.base64Url());
        }

        ContinueKey at(Revision other) {
            return new ContinueKey(other, next);
        }

        /** Returns the smallest key after that of an entry. */
        ContinueKey after(StoredEntry entry) throws IOException {
            ProtobufReader.require(
                    next == null || entry.key().compareTo(next) >= 0,
                    "a key outside of the requested range");
            byte[] key = entry.key().toByteArray();
            return new ContinueKey(revision, ByteString.of(Arrays.copyOf(key, key.length + 1)));
        }
    }
}
