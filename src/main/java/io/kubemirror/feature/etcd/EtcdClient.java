package io.kubemirror.feature.etcd;

import io.kubemirror.feature.etcd.EtcdTransport.CallRequest;
import io.kubemirror.feature.etcd.RangeLister.ListedPage;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceName.Match;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ForwardRequest;
import io.kubemirror.source.ListMeta;
import io.kubemirror.source.ListRequest;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceDefinition;
import io.kubemirror.source.ResourceDefinition.PrinterColumn;
import io.kubemirror.source.Result;
import io.kubemirror.source.ReviewApi.AccessReview;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ForwardResponse;
import io.kubemirror.source.WatchConnection;
import io.kubemirror.source.WatchRequest;

import okio.ByteString;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Reads collections of JSON documents from etcd v3, as an API server would serve them.
 *
 * <p>The types are those of the configuration. Reading etcd goes around the authorization of the
 * API server. An interrupt ends a blocked call.
 */
public final class EtcdClient implements Source {

    private static final String STATUS = "/etcdserverpb.Maintenance/Status";

    /**
     * The version of Kubernetes that {@code /version} shows, because clients choose features by it;
     * that of etcd follows.
     */
    private static final String SERVED_MAJOR = "1";

    private static final String SERVED_MINOR = "36";

    /** The column that an API server shows for a definition without columns. */
    private static final PrinterColumn AGE =
            new PrinterColumn("Age", "date", "", "", 0, ".metadata.creationTimestamp");

    private static final int LONGEST_VERSION = 100;

    private static final Failure NOT_STORED = refused(404, "NotFound", "not stored in etcd");

    private final EtcdTransport transport;
    private final EtcdSettings settings;

    /**
     * The cluster of the last list of each collection, by prefix. As many entries as collections.
     */
    private final Map<String, Long> clusters;

    private final LongConsumer received;
    private final Consumer<List<String>> warnings;

    private EtcdClient(
            EtcdTransport transport,
            EtcdSettings settings,
            Map<String, Long> clusters,
            LongConsumer received,
            Consumer<List<String>> warnings) {
        this.transport = transport;
        this.settings = settings;
        this.clusters = clusters;
        this.received = received;
        this.warnings = warnings;
    }

    /**
     * Creates a client. No request is sent.
     *
     * @throws java.io.UncheckedIOException if the certificates cannot be read
     */
    public static EtcdClient connect(EtcdSettings settings) {
        return new EtcdClient(
                new EtcdTransport(settings), settings, new ConcurrentHashMap<>(), _ -> {}, _ -> {});
    }

    /** Describes the members of the cluster for logs, without any secret. */
    public String upstream() {
        return transport.toString();
    }

    /** {@inheritDoc} The members and what is read there, in an order of its own. */
    @Override
    public String identity() {
        return settings.endpoints().stream().sorted().toList() + " " + settings.collections();
    }

    @Override
    public Source counting(LongConsumer listener) {
        return new EtcdClient(transport, settings, clusters, listener, warnings);
    }

    @Override
    public Source warning(Consumer<List<String>> listener) {
        return new EtcdClient(transport, settings, clusters, received, listener);
    }

    @Override
    public String settings() {
        return "kubemirror.upstream.etcd";
    }

    @Override
    public boolean acceptsConnections() {
        return transport.isAccepted();
    }

    /** {@inheritDoc} It is the version of Kubernetes that is served, with that of etcd. */
    @Override
    public Result<ServerVersion> version() {
        return switch (memberVersion()) {
            case Result.Success(var etcd) -> {
                String git = "v%s.%s.0+etcd.%s".formatted(SERVED_MAJOR, SERVED_MINOR, etcd);
                yield Result.of(
                        new ServerVersion(
                                git,
                                JsonMapper.shared()
                                        .writeValueAsString(
                                                new VersionDocument(
                                                        SERVED_MAJOR, SERVED_MINOR, git))));
            }
            case Result.Failed(var failure) -> Result.failed(failure);
        };
    }

    /** The part of a version document that clients read. */
    private record VersionDocument(String major, String minor, String gitVersion) {}

    private Result<String> memberVersion() {
        return transport.call(
                new CallRequest(STATUS, new ProtobufWriter()), EtcdClient::readVersion);
    }

    private static String readVersion(ProtobufReader in) throws IOException {
        String version = "";
        for (int field = in.nextField(); field != 0; field = in.nextField()) {
            if (field == 2) {
                version = in.text(LONGEST_VERSION).utf8();
            } else {
                in.skip();
            }
        }
        return version;
    }

    /** Returns whether a type is stored in etcd by configuration. */
    public boolean stores(ResourceType type) {
        return stored(type).isPresent();
    }

    /** Returns whether a permission is for a type that is stored in etcd by configuration. */
    public boolean stores(Permission permission) {
        return settings.collections().stream().anyMatch(stored -> isFor(permission, stored.type()));
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
    public Result<TypeLookup> resolve(ResourceName name) {
        return Result.of(
                settings.collections().stream()
                        .map(StoredCollection::type)
                        .filter(type -> matches(name, type))
                        .findFirst()
                        .<TypeLookup>map(TypeLookup.Found::new)
                        .orElseGet(() -> new TypeLookup.Unknown(List.of())));
    }

    private static boolean matches(ResourceName name, ResourceType type) {
        return name.match(type.group(), type.version(), type.plural()) != Match.NONE;
    }

    /** {@inheritDoc} They are those of a definition that declares none. */
    @Override
    public Result<ResourceDefinition> columns(ResourceType type) {
        return Result.of(new ResourceDefinition(List.of(AGE)));
    }

    /** {@inheritDoc} In etcd that is the permission to read the keys. */
    @Override
    public Result<AccessReview> access(Permission permission) {
        Optional<StoredCollection> stored =
                settings.collections().stream()
                        .filter(candidate -> isFor(permission, candidate.type()))
                        .findFirst();
        if (stored.isEmpty() || !(permission instanceof Permission.OnResource resource)) {
            return Result.failed(NOT_STORED);
        }
        ByteString start = stored.get().start(resource.namespace());
        ProtobufWriter oneKey =
                new ProtobufWriter()
                        .bytes(1, start)
                        .bytes(2, StoredCollection.end(start))
                        .number(3, 1)
                        .flag(8);
        return switch (transport.call(new CallRequest(RangeLister.RANGE, oneKey), _ -> true)) {
            case Result.Success(var _) -> Result.of(new AccessReview(true, ""));
            case Result.Failed(Failure.Refused(Status status, var _)) when status.code() == 403 ->
                    Result.of(new AccessReview(false, status.message()));
            case Result.Failed(var failure) -> Result.failed(failure);
        };
    }

    private static boolean isFor(Permission permission, ResourceType type) {
        return permission instanceof Permission.OnResource resource
                && resource.group().equals(type.group())
                && resource.plural().equals(type.plural());
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
            lister = new RangeLister(transport, stored, entries, request, objects, received);
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
            warnings.accept(
                    Optional.ofNullable(page.problem()).stream()
                            .map(problem -> problem.warning(stored))
                            .toList());
        }
        return page.meta();
    }

    @Override
    public Result<WatchConnection> watch(WatchRequest request) {
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
        return new WatchOpener(transport, stored, settings, received, warnings)
                .open(
                        request,
                        entries(stored, request.collection()),
                        clusters.get(stored.prefix()),
                        memberVersion());
    }

    /** {@inheritDoc} There is no API server. */
    @Override
    public Result<ForwardResponse> forward(ForwardRequest request) {
        return Result.failed(
                refused(405, "MethodNotAllowed", "etcd does not serve the Kubernetes API"));
    }
}
