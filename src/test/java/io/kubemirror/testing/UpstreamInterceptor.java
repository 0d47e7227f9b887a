package io.kubemirror.testing;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.upstream.AccessOutcome;
import io.kubemirror.upstream.ColumnsOutcome;
import io.kubemirror.upstream.DiscoveryOutcome;
import io.kubemirror.upstream.ForwardOutcome;
import io.kubemirror.upstream.ForwardRequest;
import io.kubemirror.upstream.ListOutcome;
import io.kubemirror.upstream.ListRequest;
import io.kubemirror.upstream.UpstreamApi;
import io.kubemirror.upstream.VersionOutcome;
import io.kubemirror.upstream.WatchOutcome;
import io.kubemirror.upstream.WatchRequest;

import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Stands between a reflector and the adapter to a server, to let things happen just before a
 * request, or to change it.
 *
 * @param onward the adapter
 * @param beforeList is told of each list before it is sent, and may take its time
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
    public VersionOutcome version() {
        return onward.version();
    }

    @Override
    public AccessOutcome access(Permission permission) {
        return onward.access(permission);
    }

    @Override
    public ColumnsOutcome columns(ResourceType type) {
        return onward.columns(type);
    }

    @Override
    public ForwardOutcome forward(ForwardRequest request) {
        return onward.forward(request);
    }

    @Override
    public DiscoveryOutcome resolve(ResourceName name) {
        return onward.resolve(name);
    }

    @Override
    public ListOutcome list(ListRequest request, Consumer<KubeObject> objects) {
        beforeList.accept(request);
        return onward.list(request, objects);
    }

    @Override
    public WatchOutcome watch(WatchRequest request) {
        return onward.watch(watches.apply(request));
    }
}
