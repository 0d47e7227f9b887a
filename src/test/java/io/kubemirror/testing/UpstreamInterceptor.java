package io.kubemirror.testing;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.TypeLookup;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchStream;

/**
 * Intercepts the requests of a reflector, to run something before a request or to change it.
 *
 * @param onward the adapter
 * @param beforeList receives each list before it is sent, and may block
 * @param watches changes each watch before it is sent
 */
public record UpstreamInterceptor(
        Source onward, Consumer<ListRequest> beforeList, UnaryOperator<WatchRequest> watches)
        implements Source {

    @Override
    public SourceDescription description() {
        return onward.description();
    }

    @Override
    public <T> Optional<T> as(Class<T> port) {
        return onward.as(port);
    }

    @Override
    public boolean acceptsConnections() {
        return onward.acceptsConnections();
    }

    @Override
    public Result<String> schema(ResourceCollection collection) {
        return onward.schema(collection);
    }

    @Override
    public Result<ResourceDefinition> definition(ResourceType type) {
        return onward.definition(type);
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
    public Result<WatchStream> watch(WatchRequest request) {
        return onward.watch(watches.apply(request));
    }
}
