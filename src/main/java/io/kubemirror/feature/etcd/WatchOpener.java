package io.kubemirror.feature.etcd;

import io.kubemirror.feature.etcd.EtcdTransport.CallRequest;
import io.kubemirror.kube.json.TransportFailure;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ReadObserver;
import io.kubemirror.source.UpstreamWatch;
import io.kubemirror.source.WatchRequest;

import okio.ByteString;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Opens watches of a collection, and refuses those that would wait for a revision of another
 * history: etcd accepts a watch from any revision, and sends nothing until it reaches it.
 */
record WatchOpener(
        EtcdTransport transport,
        StoredCollection stored,
        EtcdSettings settings,
        ReadObserver observer) {

    private static final String WATCH = "/etcdserverpb.Watch/Watch";

    private static final Pattern VERSION =
            Pattern.compile("(?<major>\\d{1,4})\\.(?<minor>\\d{1,4})\\.(?<patch>\\d{1,4}).*");

    /**
     * Opens a watch, and waits until etcd has accepted it.
     *
     * @param cluster the cluster that the revision is from, null if unknown
     * @param version the version of a member
     */
    Result<UpstreamWatch> open(
            WatchRequest request,
            EntryReader entries,
            @Nullable Long cluster,
            Result<String> version) {
        if (version instanceof Result.Failed(Failure.Unreachable failure)) {
            return Result.failed(failure);
        }
        CallRequest call =
                new CallRequest(
                        WATCH,
                        creation(request, after(request)),
                        /* stream= */ true,
                        observer.received());
        Result<EtcdWatch> watch = created(transport.open(call), request, entries, cluster);
        if (isTokenRefused(watch) && settings.user() != null) {
            watch = created(transport.reopen(call), request, entries, cluster);
        }
        return switch (watch) {
            case Result.Success(var created) -> {
                created.start(
                        request.bookmarks()
                                && version instanceof Result.Success(var known)
                                && isReliable(known));
                yield Result.of(created);
            }
            case Result.Failed(var failure) -> Result.failed(failure);
        };
    }

    /** Returns whether the stream said so; {@link EtcdTransport#open} renews other refusals. */
    private static boolean isTokenRefused(Result<EtcdWatch> watch) {
        return watch instanceof Result.Failed(Failure.Refused(Status status, boolean renewed))
                && status.code() == 401
                && !renewed;
    }

    private Result<EtcdWatch> created(
            Result<GrpcCall> call,
            WatchRequest request,
            EntryReader entries,
            @Nullable Long cluster) {
        return switch (call) {
            case Result.Success(var opened) -> {
                EtcdWatch watch =
                        new EtcdWatch(
                                opened, stored, entries, request, settings, observer.warned());
                Failure failure = accepted(watch, request, after(request), cluster);
                if (failure != null) {
                    watch.close();
                    yield Result.failed(failure);
                }
                yield Result.of(watch);
            }
            case Result.Failed(var failure) -> Result.failed(failure);
        };
    }

    private static Revision after(WatchRequest request) {
        return request.revision() == null ? Revision.ZERO : request.revision();
    }

    private ProtobufWriter creation(WatchRequest request, Revision after) {
        ByteString start = stored.start(request.collection().selection().namespace());
        return new ProtobufWriter()
                .message(
                        1,
                        new ProtobufWriter()
                                .bytes(1, start)
                                .bytes(2, StoredCollection.end(start))
                                .number(3, Long.parseLong(after.next().digits()))
                                // notifications of progress
                                .number(4, request.bookmarks() ? 1 : 0)
                                .flag(6) // previous values
                                .flag(8)); // large responses in parts
    }

    /** Returns why the watch cannot be used, null if it can. */
    private @Nullable Failure accepted(
            EtcdWatch watch, WatchRequest request, Revision after, @Nullable Long cluster) {
        ResponseHeader header;
        try {
            switch (watch.awaitCreation()) {
                case Result.Success(var created) -> header = created;
                case Result.Failed(var failure) -> {
                    return failure;
                }
            }
        } catch (IOException e) {
            return TransportFailure.of(e);
        }
        if (cluster != null && cluster != header.cluster()) {
            return new Failure.Refused(
                    GrpcStatus.expired("the revision is of another cluster", null));
        }
        return header.revision().isBefore(after) ? unlessBehind(request, after) : null;
    }

    /**
     * Tells a member that is behind the others from a cluster whose revision went back: only the
     * first answers a range, which the leader confirms, at the revision.
     */
    private @Nullable Failure unlessBehind(WatchRequest request, Revision after) {
        ByteString start = stored.start(request.collection().selection().namespace());
        ProtobufWriter range = new ProtobufWriter().bytes(1, start).flag(8);
        Result<ResponseHeader> confirmed =
                transport.call(new CallRequest(RangeLister.RANGE, range), WatchOpener::header);
        return switch (confirmed) {
            case Result.Success(var header) ->
                    header.revision().isBefore(after)
                            ? new Failure.Refused(GrpcStatus.tooLargeRevision())
                            : null;
            case Result.Failed(var failure) -> failure;
        };
    }

    private static ResponseHeader header(ProtobufReader in) throws IOException {
        return in.nextField() == ResponseHeader.FIELD
                ? ResponseHeader.read(in)
                : ResponseHeader.NONE;
    }

    /**
     * Returns whether a member answers a request for progress only after it has sent all events.
     * Members before 3.4.31 and 3.5.13 may answer too early
     * (https://github.com/etcd-io/etcd/issues/15220), so the progress that they report of their own
     * accord has to do.
     */
    static boolean isReliable(String version) {
        Matcher parts = VERSION.matcher(version);
        if (!parts.matches()) {
            return false;
        }
        int major = Integer.parseInt(parts.group("major"));
        int minor = Integer.parseInt(parts.group("minor"));
        int patch = Integer.parseInt(parts.group("patch"));
        if (major != 3) {
            return major > 3;
        }
        return switch (minor) {
            case 4 -> patch >= 31;
            case 5 -> patch >= 13;
            default -> minor > 5;
        };
    }
}
