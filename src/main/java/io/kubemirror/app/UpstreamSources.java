package io.kubemirror.app;

import io.kubemirror.feature.etcd.EtcdClient;
import io.kubemirror.kube.KubeClient;
import io.kubemirror.model.Identity;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ForwardRequest;
import io.kubemirror.source.ListMeta;
import io.kubemirror.source.ListRequest;
import io.kubemirror.source.PassThroughApi;
import io.kubemirror.source.ResourceDefinition;
import io.kubemirror.source.Result;
import io.kubemirror.source.ReviewApi;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ForwardResponse;
import io.kubemirror.source.WatchConnection;
import io.kubemirror.source.WatchRequest;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The sources of the configured resources as one: the API server, an etcd, or both. A type in etcd
 * is read there. Everything else, and every review, is requested from the API server.
 */
final class UpstreamSources implements Source, ReviewApi {

    private static final Failure NO_API_SERVER =
            new Failure.Malformed("no API server is configured");

    private final @Nullable KubeClient kube;
    private final @Nullable EtcdClient etcd;

    /** Creates the sources, of which at least one exists. */
    UpstreamSources(@Nullable KubeClient kube, @Nullable EtcdClient etcd) {
        this.kube = kube;
        this.etcd = etcd;
    }

    /** Describes the sources for logs, without any secret. */
    String upstream() {
        return Stream.of(
                        Optional.ofNullable(kube).map(KubeClient::upstream),
                        Optional.ofNullable(etcd).map(EtcdClient::upstream))
                .flatMap(Optional::stream)
                .collect(Collectors.joining(" and "));
    }

    /** Returns the source that serves only etcd, null if there is none. */
    @Nullable EtcdClient etcd() {
        return etcd;
    }

    /**
     * Returns what passes requests of clients on to the API server, which must be configured.
     *
     * @param own whether with the credentials of this process
     */
    PassThroughApi passThrough(boolean own) {
        return Objects.requireNonNull(kube).passThrough(own);
    }

    /** Returns the source of a configured resource. */
    Source of(ResourceName name) {
        return etcd != null && etcd.resolve(name) instanceof Result.Success(TypeLookup.Found _)
                ? etcd
                : primary();
    }

    private Source of(ResourceType type) {
        return etcd != null && etcd.stores(type) ? etcd : primary();
    }

    private Source primary() {
        return Objects.requireNonNull(kube == null ? etcd : kube);
    }

    @Override
    public boolean acceptsConnections() {
        return primary().acceptsConnections();
    }

    @Override
    public Result<ServerVersion> version() {
        return primary().version();
    }

    @Override
    public Result<Map<ResourceType, Long>> watches(Set<ResourceType> types) {
        return primary().watches(types);
    }

    @Override
    public boolean isDiscovered(ResourceType type) {
        return etcd == null || !etcd.stores(type);
    }

    @Override
    public Result<TypeLookup> resolve(ResourceName name) {
        return of(name).resolve(name);
    }

    @Override
    public Result<List<TypeLookup.Found>> types() {
        return primary().types();
    }

    @Override
    public Result<AccessReview> access(Permission permission) {
        return (etcd != null && etcd.stores(permission) ? etcd : primary()).access(permission);
    }

    @Override
    public Result<ResourceDefinition> columns(ResourceType type) {
        return of(type).columns(type);
    }

    @Override
    public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
        return of(request.collection().type()).list(request, objects);
    }

    @Override
    public Result<WatchConnection> watch(WatchRequest request) {
        return of(request.collection().type()).watch(request);
    }

    @Override
    public Result<ForwardResponse> forward(ForwardRequest request) {
        return of(request.type()).forward(request);
    }

    @Override
    public Result<Optional<Identity>> identify(BearerToken token, Duration limit) {
        return kube == null ? Result.failed(NO_API_SERVER) : kube.identify(token, limit);
    }

    @Override
    public Result<AccessReview> review(Identity identity, Permission permission, Duration limit) {
        return kube == null
                ? Result.failed(NO_API_SERVER)
                : kube.review(identity, permission, limit);
    }

    @Override
    public Result<Optional<AccessReview>> review(
            BearerToken token, Permission permission, Duration limit) {
        return kube == null ? Result.failed(NO_API_SERVER) : kube.review(token, permission, limit);
    }

    @Override
    public Result<Optional<Identity>> owner(BearerToken token, Duration limit) {
        return kube == null ? Result.failed(NO_API_SERVER) : kube.owner(token, limit);
    }
}
