package io.kubemirror.ops;

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

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.Function;

/** An API server of which nobody wants anything but its version and what it allows. */
final class AskedServer implements KubeApi {

    final BlockingQueue<Permission> asked = new LinkedBlockingQueue<>();
    volatile VersionOutcome version = new VersionOutcome.Known("v1.36.0", "{}");
    volatile Function<Permission, AccessOutcome> access = _ -> new AccessOutcome.Decided(true, "");

    @Override
    public VersionOutcome version() {
        return version;
    }

    @Override
    public AccessOutcome access(Permission permission) {
        asked.add(permission);
        return access.apply(permission);
    }

    @Override
    public DiscoveryOutcome resolve(ResourceName name) {
        throw new AssertionError("an operator asks for no type");
    }

    @Override
    public ColumnsOutcome columns(ResourceType type) {
        throw new AssertionError("an operator asks for no columns");
    }

    @Override
    public ListOutcome list(ListRequest request, Consumer<KubeObject> objects) {
        throw new AssertionError("an operator asks for no objects");
    }

    @Override
    public WatchOutcome watch(WatchRequest request) {
        throw new AssertionError("an operator asks for no changes");
    }

    @Override
    public ForwardOutcome forward(ForwardRequest request) {
        throw new AssertionError("an operator forwards nothing");
    }
}
