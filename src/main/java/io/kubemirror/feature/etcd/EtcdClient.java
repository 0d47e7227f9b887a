package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.app.MirrorStore;
import io.kubemirror.feature.etcd.EtcdTransport.CallRequest;
import io.kubemirror.feature.etcd.EtcdTransport.ResponseHeader;
import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.kube.ClientSettings;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.source.Failure.Refused;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchStream.UpstreamWatch;

import org.apache.commons.io.function.IOFunction;
import org.apache.commons.io.function.IOSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads collections of JSON documents from etcd v3, as an API server would serve them.
 *
 * <p>The types are those of the configuration. Reading etcd goes around the authorization of the
 * API server. An interrupt ends a blocked call.
 */
public final class EtcdClient implements Source, MirrorStore.Places {

    private static final String STATUS = "/etcdserverpb.Maintenance/Status";

    private static final String WATCH = "/etcdserverpb.Watch/Watch";

    /** From 3.4.31, 3.5.13, and 3.6 on. */
    private static final Pattern RELIABLE =
            Pattern.compile(
                    "(3\\.4\\.(3[1-9]|[4-9]\\d|\\d{3})|3\\.5\\.(1[3-9]|[2-9]\\d|\\d{3})"
                            + "|3\\.([6-9]|\\d\\d)\\.|([4-9]|\\d\\d)\\.).*");

    private final EtcdTransport transport;
    private final EtcdSettings settings;

    private final ReadObserver observer;

    /** The cluster of the last list or watch of this reader, null if it is not known. */
    private volatile @Nullable Long cluster;

    /** Whether all values of the present list can be read, on the pages so far. */
    private volatile boolean readable = true;

    private EtcdClient(EtcdTransport transport, EtcdSettings settings, ReadObserver observer) {
        this.transport = transport;
        this.settings = settings;
        this.observer = observer;
    }

    /**
     * Creates a client. No request is sent.
     *
     * @throws java.io.UncheckedIOException if the certificates cannot be read
     */
    public static EtcdClient connect(EtcdSettings settings) {
        return new EtcdClient(new EtcdTransport(settings), settings, ReadObserver.NONE);
    }

    /** {@inheritDoc} The members, in an order of its own. */
    @Override
    public SourceDescription description() {
        return new SourceDescription(
                settings.toString(),
                settings.endpoints().stream().sorted().toList().toString(),
                "kubemirror.upstream.etcd");
    }

    @Override
    public String place(ResourceName name) {
        return settings.collections().stream().filter(one -> one.isNamed(name)).toList().toString();
    }

    @Override
    public boolean holds(ResourceName name) {
        return settings.collections().stream().anyMatch(stored -> stored.isNamed(name));
    }

    @Override
    public Source observed(ReadObserver reader) {
        return new EtcdClient(transport, settings, reader);
    }

    @Override
    public boolean acceptsConnections() {
        return transport.isAccepted();
    }

    @Override
    public Result<List<TypeLookup.Found>> types() {
        return Result.of(
                settings.collections().stream()
                        .map(stored -> new TypeLookup.Found(stored.type()))
                        .toList());
    }

    private <T> Result<T> read(ResourceCollection collection, IOFunction<EntryReader, T> call) {
        ResourceType type = collection.type();
        Optional<StoredCollection> stored =
                settings.collections().stream()
                        .filter(one -> one.type().groupResource().equals(type.groupResource()))
                        .filter(one -> one.type().version().equals(type.version()))
                        .findFirst();
        if (stored.isEmpty()) {
            return Result.failed(Refused.of(404, "not stored in etcd"));
        }
        try {
            return Result.of(
                    call.apply(
                            new EntryReader(
                                    stored.get(), collection, settings.limits().objectLimit())));
        } catch (IllegalArgumentException e) {
            return Result.failed(Refused.of(400, String.valueOf(e.getMessage())));
        } catch (IOException e) {
            return Result.failed(EtcdException.failure(e));
        }
    }

    @Override
    public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
        return read(
                request.collection(),
                entries -> {
                    RangeLister lister = new RangeLister(transport, entries, request, objects);
                    ListMeta page = lister.read(observer.received());
                    readable = lister.isReadable() && (readable || request.continueToken() == null);
                    if (page.continueToken() == null) {
                        // A request for one object may be none for the content of the mirror.
                        if (request.limit() != 1 || request.continueToken() != null) {
                            cluster = lister.cluster();
                        }
                        observer.warned().accept(readable ? List.of() : entries.stored().warning());
                    }
                    return page;
                });
    }

    @Override
    public Result<UpstreamWatch> watch(WatchRequest request) {
        Revision after = request.revision();
        return request.initialEvents() || after == null
                ? Result.failed(
                        Refused.of(
                                422, "sendInitialEvents: Forbidden: etcd sends no initial events"))
                : read(request.collection(), entries -> open(request, entries, after));
    }

    private EtcdWatch open(WatchRequest request, EntryReader entries, Revision after)
            throws IOException {
        boolean reliable = isReliable(version());
        ProtobufWriter creation =
                entries.from(null)
                        .number(3, Long.parseLong(after.next().digits()))
                        // notifications of progress
                        .number(4, request.bookmarks() ? 1 : 0)
                        .flag(6) // previous values
                        .flag(8); // large responses in parts
        CallRequest call =
                new CallRequest(
                        WATCH,
                        new ProtobufWriter().message(1, creation),
                        /* stream= */ true,
                        observer.received());
        EtcdWatch watch = transport.open(call, opened -> created(opened, request, entries, after));
        watch.start(request.bookmarks() && reliable);
        return watch;
    }

    private EtcdWatch created(
            GrpcCall call, WatchRequest request, EntryReader entries, Revision after)
            throws IOException {
        EtcdWatch watch = new EtcdWatch(call, entries, request, settings, observer.warned());
        try {
            ResponseHeader created = watch.awaitCreation();
            check(created, entries, after);
            cluster = created.cluster();
            return watch;
        } catch (IOException e) {
            watch.close();
            throw e;
        }
    }

    /**
     * Refuses a watch that would wait for a revision of another history: etcd accepts a watch from
     * any revision, and sends nothing until it reaches it.
     */
    private void check(ResponseHeader created, EntryReader entries, Revision after)
            throws IOException {
        Long known = cluster;
        if (known != null && known != created.cluster()) {
            // What the reader lists now may be of any cluster.
            cluster = null;
            throw EtcdException.expired("the revision is of another cluster");
        }
        if (created.revision().isBefore(after)) {
            // Of a member that is behind the others and a cluster whose revision went back, only
            // the first answers a range, which the leader confirms, at the revision.
            ProtobufWriter range = entries.from(null).number(3, 1).flag(8);
            ResponseHeader confirmed =
                    transport.call(
                            new CallRequest(RangeLister.RANGE, range),
                            in ->
                                    in.next() == ResponseHeader.FIELD
                                            ? ResponseHeader.read(in)
                                            : ResponseHeader.NONE);
            if (confirmed.revision().isBefore(after)) {
                throw EtcdException.tooLargeRevision();
            }
        }
    }

    /** Returns the version of a member, empty if it does not say so. */
    private String version() throws IOException {
        try {
            return transport.call(new CallRequest(STATUS, new ProtobufWriter()), in -> in.text(2));
        } catch (IOException e) {
            if (EtcdException.failure(e) instanceof Unreachable) {
                throw e;
            }
            return "";
        }
    }

    /**
     * Returns whether a member answers a request for progress only after it has sent all events.
     * Members before 3.4.31 and 3.5.13 may answer too early
     * (https://github.com/etcd-io/etcd/issues/15220), so the progress that they report of their own
     * accord has to do.
     */
    static boolean isReliable(String version) {
        return RELIABLE.matcher(version).matches();
    }

    /**
     * The settings of the client.
     *
     * @param endpoints the URLs of the members, all with the same scheme, in the order in which
     *     this process tries them
     * @param user the user, null for none
     * @param password reads the password of the user for each login, so that it may change
     * @param tls the certificates, requested again when they are refused; throws an {@link
     *     java.io.UncheckedIOException} if they cannot be read; null for those of the platform
     * @param collections where the objects of each type are
     * @param limits the limits of reading
     * @param ticker a monotonic clock, in nanoseconds
     * @param sleeper waits between requests for progress
     */
    public record EtcdSettings(
            List<String> endpoints,
            @Nullable String user,
            IOSupplier<String> password,
            @Nullable Supplier<TlsMaterial> tls,
            List<StoredCollection> collections,
            ClientSettings limits,
            LongSupplier ticker,
            Sleeper sleeper) {

        /** Copies the lists. */
        public EtcdSettings {
            endpoints = List.copyOf(endpoints);
            collections = List.copyOf(collections);
        }

        /** Shows neither the user nor the password. */
        @Override
        public String toString() {
            return "etcd at " + String.join(", ", endpoints);
        }

        /** Certificates for TLS. */
        public record TlsMaterial(SSLSocketFactory sockets, X509TrustManager trust) {}
    }
}
