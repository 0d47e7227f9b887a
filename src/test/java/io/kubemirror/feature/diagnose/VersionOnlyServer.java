package io.kubemirror.feature.diagnose;

import io.kubemirror.kube.ReviewApi.AccessReview;
import io.kubemirror.kube.ServerApi;
import io.kubemirror.kube.ServerApi.ServerVersion;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission;
import io.kubemirror.model.ResourceName;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.TypeLookup;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchStream.UpstreamWatch;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.Function;

/** An API server that only answers requests for its version and permissions. */
final class VersionOnlyServer implements Source, ServerApi {

    final BlockingQueue<Permission> asked = new LinkedBlockingQueue<>();
    volatile Result<ServerVersion> version = Result.of(new ServerVersion("v1.36.0", "{}"));
    volatile Function<Permission, Result<AccessReview>> access =
            _ -> Result.of(new AccessReview(true, ""));

    @Override
    public SourceDescription description() {
        return new SourceDescription("a test", "a test", "kubemirror.upstream");
    }

    @Override
    public Result<ServerVersion> version() {
        return version;
    }

    @Override
    public Result<AccessReview> access(Permission permission) {
        asked.add(permission);
        return access.apply(permission);
    }

    @Override
    public Result<TypeLookup> resolve(ResourceName name) {
        throw new AssertionError("an operator asks for no type");
    }

    @Override
    public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
        throw new AssertionError("an operator asks for no objects");
    }

    @Override
    public Result<UpstreamWatch> watch(WatchRequest request) {
        throw new AssertionError("an operator asks for no changes");
    }
}
