package io.kubemirror.ops;

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

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.Function;

/** An API server of which nobody wants anything but its version and what it allows. */
final class VersionOnlyServer implements UpstreamApi {

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
