package io.kubemirror.testing;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.upstream.ForwardRequest;
import io.kubemirror.upstream.ListMeta;
import io.kubemirror.upstream.ListRequest;
import io.kubemirror.upstream.ResourceDefinition;
import io.kubemirror.upstream.Result;
import io.kubemirror.upstream.ReviewApi.AccessReview;
import io.kubemirror.upstream.UpstreamApi;
import io.kubemirror.upstream.UpstreamApi.ForwardResponse;
import io.kubemirror.upstream.UpstreamApi.ServerVersion;
import io.kubemirror.upstream.UpstreamApi.TypeLookup;
import io.kubemirror.upstream.WatchConnection;
import io.kubemirror.upstream.WatchRequest;

import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Intercepts the requests of a reflector, to run something before a request or to change it.
 *
 * @param onward the adapter
 * @param beforeList receives each list before it is sent, and may block
 * @param watches changes each watch before it is sent
 */
public record UpstreamInterceptor(
        UpstreamApi onward, Consumer<ListRequest> beforeList, UnaryOperator<WatchRequest> watches)
        implements UpstreamApi {

    @Override
    public boolean acceptsConnections() {
        return onward.acceptsConnections();
    }

    @Override
    public Result<ServerVersion> version() {
        return onward.version();
    }

    @Override
    public Result<AccessReview> access(Permission permission) {
        return onward.access(permission);
    }

    @Override
    public Result<ResourceDefinition> columns(ResourceType type) {
        return onward.columns(type);
    }

    @Override
    public Result<ForwardResponse> forward(ForwardRequest request) {
        return onward.forward(request);
    }

    @Override
    public Result<TypeLookup> resolve(ResourceName name) {
        return onward.resolve(name);
    }

    @Override
    public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
        beforeList.accept(request);
        return onward.list(request, objects);
    }

    @Override
    public Result<WatchConnection> watch(WatchRequest request) {
        return onward.watch(watches.apply(request));
    }
}
