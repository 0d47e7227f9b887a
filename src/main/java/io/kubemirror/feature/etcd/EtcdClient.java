package io.kubemirror.feature.etcd;

import io.kubemirror.feature.etcd.EtcdTransport.CallRequest;
import io.kubemirror.feature.etcd.RangeLister.ListedPage;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ListMeta;
import io.kubemirror.source.ListRequest;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.UpstreamWatch;
import io.kubemirror.source.WatchRequest;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Reads collections of JSON documents from etcd v3, as an API server would serve them.
 *
 * <p>The types are those of the configuration. Reading etcd goes around the authorization of the
 * API server. An interrupt ends a blocked call.
 */
public final class EtcdClient implements Source {

    private static final String STATUS = "/etcdserverpb.Maintenance/Status";

    private static final int MAX_VERSION_LENGTH = 100;

    private static final Failure NOT_STORED = refused(404, "NotFound", "not stored in etcd");

    private final EtcdTransport transport;
    private final EtcdSettings settings;

    /**
     * The cluster of the last list of each collection, by prefix. As many entries as collections.
     */
    private final Map<String, Long> clusters;

    private final ReadObserver observer;

    private EtcdClient(
            EtcdTransport transport,
            EtcdSettings settings,
            Map<String, Long> clusters,
            ReadObserver observer) {
        this.transport = transport;
        this.settings = settings;
        this.clusters = clusters;
        this.observer = observer;
    }

    /**
     * Creates a client. No request is sent.
     *
     * @throws java.io.UncheckedIOException if the certificates cannot be read
     */
    public static EtcdClient connect(EtcdSettings settings) {
        return new EtcdClient(
                new EtcdTransport(settings),
                settings,
                new ConcurrentHashMap<>(),
                ReadObserver.NONE);
    }

    /** {@inheritDoc} The members and what is read there, in an order of its own. */
    @Override
    public SourceDescription description() {
        return new SourceDescription(
                transport.toString(),
                settings.endpoints().stream().sorted().toList() + " " + settings.collections(),
                "kubemirror.upstream.etcd");
    }

    @Override
    public boolean holds(ResourceName name) {
        return resolve(name) instanceof Result.Success(TypeLookup.Found _);
    }

    @Override
    public Source observed(ReadObserver reader) {
        return new EtcdClient(transport, settings, clusters, reader);
    }

    @Override
    public boolean acceptsConnections() {
        return transport.isAccepted();
    }

    private Result<String> memberVersion() {
        return transport.call(
                new CallRequest(STATUS, new ProtobufWriter()), EtcdClient::readVersion);
    }

    private static String readVersion(ProtobufReader in) throws IOException {
        String version = "";
        for (int field = in.nextField(); field != 0; field = in.nextField()) {
            if (field == 2) {
                version = in.text(MAX_VERSION_LENGTH).utf8();
            } else {
                in.skip();
            }
        }
        return version;
    }

    private Optional<StoredCollection> stored(ResourceType type) {
        return settings.collections().stream()
                .filter(
                        stored ->
                                stored.type().groupResource().equals(type.groupResource())
                                        && stored.type().version().equals(type.version()))
                .findFirst();
    }

    @Override
    public Result<List<TypeLookup.Found>> types() {
        return Result.of(
                settings.collections().stream()
                        .map(stored -> new TypeLookup.Found(stored.type()))
                        .toList());
    }

    private static Failure refused(int code, String reason, String message) {
        return new Failure.Refused(new Status(code, reason, message, null));
    }

    @Override
    public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
        StoredCollection stored = stored(request.collection().type()).orElse(null);
        if (stored == null) {
            return Result.failed(NOT_STORED);
        }
        RangeLister lister;
        try {
            EntryReader entries = entries(stored, request.collection());
            lister =
                    new RangeLister(
                            transport, stored, entries, request, objects, observer.received());
        } catch (IllegalArgumentException e) {
            return Result.failed(refused(400, "BadRequest", String.valueOf(e.getMessage())));
        }
        return switch (lister.read()) {
            case Result.Success(var page) -> Result.of(listed(stored, request, page));
            case Result.Failed(var failure) -> Result.failed(failure);
        };
    }

    private EntryReader entries(StoredCollection stored, ResourceCollection collection) {
        return new EntryReader(
                stored, collection, settings.limits().objectLimit(), settings.limits().incoming());
    }

    /** A request for one object shows neither which cluster the mirror is of, nor all problems. */
    private ListMeta listed(StoredCollection stored, ListRequest request, ListedPage page) {
        if (page.meta().continueToken() == null && request.limit() != 1) {
            clusters.put(stored.prefix(), page.cluster());
            observer.warned()
                    .accept(
                            Optional.ofNullable(page.problem()).stream()
                                    .map(problem -> problem.warning(stored))
                                    .toList());
        }
        return page.meta();
    }

    @Override
    public Result<UpstreamWatch> watch(WatchRequest request) {
        StoredCollection stored = stored(request.collection().type()).orElse(null);
        if (stored == null) {
            return Result.failed(NOT_STORED);
        }
        if (request.initialEvents() || request.revision() == null) {
            return Result.failed(
                    refused(
                            422,
                            "Invalid",
                            "sendInitialEvents: Forbidden: etcd sends no initial events"));
        }
        return new WatchOpener(transport, stored, settings, observer)
                .open(
                        request,
                        entries(stored, request.collection()),
                        clusters.get(stored.prefix()),
                        memberVersion());
    }
}
