package io.kubemirror.testground;

import io.kubemirror.kube.DiscoveryOutcome;
import io.kubemirror.kube.KubeApi;
import io.kubemirror.kube.ListOutcome;
import io.kubemirror.kube.ListRequest;
import io.kubemirror.kube.WatchOutcome;
import io.kubemirror.kube.WatchRequest;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;

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
