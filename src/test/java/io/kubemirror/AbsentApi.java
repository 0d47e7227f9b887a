package io.kubemirror;

import io.kubemirror.kube.DiscoveryOutcome;
import io.kubemirror.kube.Failure;
import io.kubemirror.kube.KubeApi;
import io.kubemirror.kube.ListOutcome;
import io.kubemirror.kube.ListRequest;
import io.kubemirror.kube.WatchOutcome;
import io.kubemirror.kube.WatchRequest;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;

import java.util.function.Consumer;

/** An API server that is never there. */
final class AbsentApi implements KubeApi {

    private static final Failure NOBODY = new Failure.Unreachable("connection refused", true);

    @Override
    public DiscoveryOutcome resolve(ResourceName name) {
        return NOBODY;
    }

    @Override
    public ListOutcome list(ListRequest request, Consumer<KubeObject> objects) {
        return NOBODY;
    }

    @Override
    public WatchOutcome watch(WatchRequest request) {
        return NOBODY;
    }
}
