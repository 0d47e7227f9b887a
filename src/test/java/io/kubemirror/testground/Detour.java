package io.kubemirror.testground;

import io.kubemirror.kube.AccessOutcome;
import io.kubemirror.kube.ColumnsOutcome;
import io.kubemirror.kube.DiscoveryOutcome;
import io.kubemirror.kube.ForwardOutcome;
import io.kubemirror.kube.ForwardRequest;
import io.kubemirror.kube.KubeApi;
import io.kubemirror.kube.ListOutcome;
import io.kubemirror.kube.ListRequest;
import io.kubemirror.kube.VersionOutcome;
import io.kubemirror.kube.WatchOutcome;
import io.kubemirror.kube.WatchRequest;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;

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
public record Detour(
        KubeApi onward, Consumer<ListRequest> beforeList, UnaryOperator<WatchRequest> watches)
        implements KubeApi {

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
