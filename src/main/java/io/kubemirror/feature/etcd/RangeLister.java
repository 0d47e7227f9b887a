package io.kubemirror.feature.etcd;

import io.kubemirror.feature.etcd.EntryReader.StoredEntry;
import io.kubemirror.feature.etcd.EtcdTransport.CallRequest;
import io.kubemirror.kube.json.MalformedResponseException;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ListMeta;
import io.kubemirror.source.ListRequest;
import io.kubemirror.source.ListRequest.RevisionMatch;
import io.kubemirror.source.Result;

import okio.ByteString;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

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
    private final StoredCollection stored;
    private final EntryReader entries;
    private final ListRequest request;
    private final Consumer<KubeObject> objects;
    private final LongConsumer received;

    private ContinueKey at;
    private boolean found;

    /**
     * Creates a lister.
     *
     * @throws IllegalArgumentException if the request has an invalid continue token
     */
    RangeLister(
            EtcdTransport transport,
            StoredCollection stored,
            EntryReader entries,
            ListRequest request,
            Consumer<KubeObject> objects,
            LongConsumer received) {
        this.transport = transport;
        this.stored = stored;
        this.entries = entries;
        this.request = request;
        this.objects = objects;
        this.received = received;
        this.at = first(stored, request);
    }

    private static ContinueKey first(StoredCollection stored, ListRequest request) {
        ByteString start = stored.start(request.collection().selection().namespace());
        Revision exact = request.match() == RevisionMatch.EXACT ? request.revision() : null;
        return request.continueToken() == null
                ? new ContinueKey(exact == null ? Revision.ZERO : exact, start, null)
                : ContinueKey.parse(request.continueToken());
    }

    /**
     * A page.
     *
     * @param meta the metadata of the page
     * @param cluster the cluster that it is from
     * @param problem why values of this list cannot be read, null if all can
     */
    record ListedPage(ListMeta meta, long cluster, @Nullable UnreadableValue problem) {}

    /** Reads the page. */
    Result<ListedPage> read() {
        while (true) {
            switch (transport.call(range(), this::range)) {
                case Result.Success(var range) -> {
                    if (isTooOld(range)) {
                        return Result.failed(new Failure.Refused(GrpcStatus.tooLargeRevision()));
                    }
                    at = range.next();
                    if (range.isLast() || (request.limit() > 0 && found)) {
                        return Result.of(page(range));
                    }
                }
                case Result.Failed(var failure) -> {
                    return Result.failed(withToken(failure));
                }
            }
        }
    }

    private CallRequest range() {
        ByteString start = stored.start(request.collection().selection().namespace());
        ProtobufWriter message =
                new ProtobufWriter()
                        .bytes(1, at.next())
                        .bytes(2, StoredCollection.end(start))
                        .number(3, request.limit() > 0 ? request.limit() : RANGE_SIZE)
                        .number(4, Long.parseLong(at.revision().digits()));
        return new CallRequest(RANGE, message, /* stream= */ false, received);
    }

    /**
     * A range that has been read.
     *
     * @param header its header
     * @param next where the next one begins
     * @param keys the number of its keys
     * @param count the number of all keys from its start
     */
    private record ReadRange(ResponseHeader header, ContinueKey next, long keys, long count) {

        boolean isLast() {
            return keys >= count;
        }
    }

    private ReadRange range(ProtobufReader in) throws IOException {
        ResponseHeader header = ResponseHeader.NONE;
        ByteString next = at.next();
        UnreadableValue problem = at.problem();
        long keys = 0;
        long count = 0;
        for (int field = in.nextField(); field != 0; field = in.nextField()) {
            switch (field) {
                case ResponseHeader.FIELD -> header = ResponseHeader.read(in);
                case 2 -> {
                    StoredEntry entry = entries.read(in);
                    if (entry.key().compareTo(next) < 0) {
                        throw new MalformedResponseException(
                                "a key outside of the requested range");
                    }
                    next = afterKey(entry.key());
                    problem = entry.problem() == null ? problem : entry.problem();
                    pass(entry);
                    keys++;
                }
                case 4 -> count = in.number();
                default -> in.skip();
            }
        }
        if (keys == 0 && count > 0) {
            throw new MalformedResponseException("a range has fewer keys than it counts");
        }
        Revision revision = at.revision().isZero() ? header.revision() : at.revision();
        return new ReadRange(header, new ContinueKey(revision, next, problem), keys, count);
    }

    private void pass(StoredEntry entry) {
        if (entry.object() != null) {
            found = true;
            objects.accept(entry.object());
        }
    }

    /** Returns the smallest key after a key. */
    private static ByteString afterKey(ByteString key) {
        byte[] bytes = key.toByteArray();
        return ByteString.of(Arrays.copyOf(bytes, bytes.length + 1));
    }

    /** A member that was restored from a backup has an older state than requested. */
    private boolean isTooOld(ReadRange range) {
        Revision wanted = request.revision();
        return wanted != null
                && request.match() == RevisionMatch.NOT_OLDER_THAN
                && range.next().revision().isBefore(wanted);
    }

    private ListedPage page(ReadRange range) {
        boolean everything =
                request.collection().selection().labels().isEverything()
                        && request.collection().selection().fields().isEverything();
        long remaining = range.count() - range.keys();
        return new ListedPage(
                new ListMeta(
                        at.revision(),
                        range.isLast() ? null : at.token(),
                        everything && remaining > 0 ? remaining : null),
                range.header().cluster(),
                at.problem());
    }

    /** Adds the token with which an expired list continues at the present state. */
    private Failure withToken(Failure failure) {
        return failure instanceof Failure.Refused(Status status, var _)
                        && status.isExpired()
                        && request.continueToken() != null
                ? new Failure.Refused(GrpcStatus.expired(status.message(), at.tokenAtPresent()))
                : failure;
    }

    /**
     * Where a list continues, and the content of its continue token.
     *
     * @param revision the revision of the list, 0 to continue at the present state
     * @param next the first key of the next page
     * @param problem what could not be read on the pages before, null if everything could
     */
    record ContinueKey(Revision revision, ByteString next, @Nullable UnreadableValue problem) {

        private static final String SEPARATOR = ":";

        /** Returns the token. */
        String token() {
            return String.join(
                    SEPARATOR,
                    revision.digits(),
                    problem == null ? "" : problem.name(),
                    next.base64Url());
        }

        /**
         * Reads a token.
         *
         * @throws IllegalArgumentException if it is not one of {@link #token}
         */
        static ContinueKey parse(String token) {
            String[] parts = token.split(SEPARATOR, 3);
            ByteString next = parts.length < 3 ? null : ByteString.decodeBase64(parts[2]);
            if (next == null) {
                throw new IllegalArgumentException("not a continue token");
            }
            return new ContinueKey(
                    new Revision(parts[0]),
                    next,
                    parts[1].isEmpty() ? null : UnreadableValue.valueOf(parts[1]));
        }

        /**
         * Returns the token that continues the list at the present state, after the revision of
         * this one expired.
         */
        String tokenAtPresent() {
            return new ContinueKey(Revision.ZERO, next, problem).token();
        }
    }
}
