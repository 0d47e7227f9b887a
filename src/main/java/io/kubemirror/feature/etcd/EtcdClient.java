package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.kube.ClientSettings;
import io.kubemirror.kube.json.QueuedWatch;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.source.Failure.Refused;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchStream;

import org.apache.commons.io.function.IOFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/**
 * Reads collections of JSON documents from etcd v3, as an API server would serve them.
 *
 * <p>The types are those of the configuration. Reading etcd goes around the authorization of the
 * API server. An interrupt ends a blocked call.
 */
public final class EtcdClient implements Source {

    private final EtcdTransport transport;
    private final EtcdSettings settings;

    /** Creates a client. No request is sent. */
    public EtcdClient(EtcdSettings settings) {
        this.transport = new EtcdTransport(settings);
        this.settings = settings;
    }

    /** {@inheritDoc} The members, in an order of its own, and where they have objects. */
    @Override
    public SourceDescription description() {
        return new SourceDescription(
                "etcd at " + String.join(", ", settings.endpoints()),
                settings.endpoints().stream().sorted().toList().toString() + settings.collections(),
                "kubemirror.upstream.etcd");
    }

    @Override
    public boolean holds(ResourceName name) {
        return settings.collections().stream().anyMatch(stored -> stored.isNamed(name));
    }

    /** Uses other certificates for new connections. */
    void renew(SslBundle tls) {
        transport.renew(tls);
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
                entries -> new RangeLister(transport, entries, request, objects).read());
    }

    @Override
    public Result<WatchStream> watch(WatchRequest request) {
        Revision after = request.revision();
        return request.initialEvents() || after == null
                ? Result.failed(
                        Refused.of(
                                422, "sendInitialEvents: Forbidden: etcd sends no initial events"))
                : read(request.collection(), entries -> open(request, entries, after));
    }

    private WatchStream open(WatchRequest request, EntryReader entries, Revision after)
            throws IOException {
        ProtobufWriter creation =
                entries.from(null)
                        .number(3, Long.parseLong(after.next().digits()))
                        // notifications of progress
                        .number(4, request.bookmarks() ? 1 : 0)
                        .flag(6) // previous values
                        .flag(8); // large responses in parts
        EtcdWatch watch =
                transport.watch(
                        new ProtobufWriter().message(1, creation),
                        opened -> created(opened, request, entries, after));
        return QueuedWatch.of(request, watch, settings.limits().incoming());
    }

    private EtcdWatch created(
            GrpcCall call, WatchRequest request, EntryReader entries, Revision after)
            throws IOException {
        EtcdWatch watch = new EtcdWatch(call, entries, request, settings);
        try {
            if (watch.awaitCreation().isBefore(after)) {
                requireReached(entries, after);
            }
            return watch;
        } catch (IOException e) {
            watch.close();
            throw e;
        }
    }

    /**
     * Refuses a watch from a revision that the cluster has lost: etcd accepts a watch from any
     * revision, and sends nothing until it reaches it. Of a member that is behind the others and a
     * cluster whose revision went back, only the first answers a range, which the leader confirms,
     * at the revision.
     */
    private void requireReached(EntryReader entries, Revision after) throws IOException {
        ProtobufWriter range = entries.from(null).number(3, 1).flag(8);
        if (transport.range(range, ProtobufMessage::header).isBefore(after)) {
            throw EtcdException.tooLargeRevision();
        }
    }

    /**
     * The settings of the client.
     *
     * @param endpoints the URLs of the members, all with the same scheme, in the order in which
     *     this process tries them
     * @param tls the certificates, null for those of the platform
     * @param collections where the objects of each type are
     * @param limits the limits of reading
     * @param ticker a monotonic clock, in nanoseconds
     * @param sleeper waits between requests for progress
     */
    public record EtcdSettings(
            List<String> endpoints,
            @Nullable SslBundle tls,
            List<StoredCollection> collections,
            ClientSettings limits,
            LongSupplier ticker,
            Sleeper sleeper) {

        /** Copies the lists. */
        public EtcdSettings {
            endpoints = List.copyOf(endpoints);
            collections = List.copyOf(collections);
        }
    }
}
