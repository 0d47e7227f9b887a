package io.kubemirror.app;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchStream;

/**
 * The sources of the configured resources as one: each resource is read from the first source that
 * holds it. The last one holds what no other does.
 */
public final class Sources implements Source {

    /** No resource has this name, so that only a source of everything holds it. */
    static final ResourceName ANY = new ResourceName("any");

    private final List<Source> all;

    /**
     * Creates the sources.
     *
     * @param all at least one, in the order in which they are asked
     */
    public Sources(List<Source> all) {
        this.all = List.copyOf(all);
    }

    /** Returns the source of a configured resource. */
    public Source of(ResourceName name) {
        return all.stream()
                .filter(source -> source.holds(name))
                .findFirst()
                .orElseGet(all::getLast);
    }

    private Source of(ResourceType type) {
        return of(
                new ResourceName(
                        "%s.%s.%s".formatted(type.plural(), type.version(), type.group())));
    }

    /** {@inheritDoc} Only the source of what is not configured for another one discovers types. */
    @Override
    public boolean isDiscovered(ResourceType type) {
        return of(type).holds(ANY);
    }

    @Override
    public SourceDescription description() {
        String text =
                all.stream()
                        .map(source -> source.description().text())
                        .collect(Collectors.joining(" and "));
        return new SourceDescription(text, text, "kubemirror.upstream");
    }

    /** {@inheritDoc} It is that of the first source that has one. */
    @Override
    public <T> Optional<T> as(Class<T> port) {
        return all.stream().flatMap(source -> source.as(port).stream()).findFirst();
    }

    @Override
    public Result<TypeLookup> resolve(ResourceName name) {
        return of(name).resolve(name);
    }

    /** {@inheritDoc} They are those of resources that are not configured for another source. */
    @Override
    public Result<String> schema(ResourceCollection collection) {
        return of(collection.type()).schema(collection);
    }

    @Override
    public Result<ResourceDefinition> definition(ResourceType type) {
        return of(type).definition(type);
    }

    @Override
    public Result<List<TypeLookup.Found>> types() {
        return of(ANY).types();
    }

    @Override
    public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
        return of(request.collection().type()).list(request, objects);
    }

    @Override
    public Result<WatchStream> watch(WatchRequest request) {
        return of(request.collection().type()).watch(request);
    }
}
