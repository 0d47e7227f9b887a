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

import org.jspecify.annotations.Nullable;

/**
 * The sources of the configured resources as one: each resource is read from the first source that
 * holds it. The last one, the Kubernetes API server, holds what no other does, and is not created
 * before it is needed.
 */
public final class Sources implements Source {

    /** No resource has this name, so that only a source of everything holds it. */
    private static final ResourceName ANY = new ResourceName("any");

    private final List<Source> first;
    private final Supplier<? extends Source> last;

    /** Null until it is needed. Only {@link #last()} writes it, always with the same source. */
    private volatile @Nullable Source created;

    /**
     * Creates the sources.
     *
     * @param first those that are asked first, in this order
     * @param last returns the same source each time
     */
    public Sources(List<Source> first, Supplier<? extends Source> last) {
        this.first = List.copyOf(first);
        this.last = last;
    }

    /** Returns the source of a configured resource. */
    public Source of(ResourceName name) {
        return first.stream()
                .filter(source -> source.holds(name))
                .findFirst()
                .orElseGet(this::last);
    }

    private Source of(ResourceType type) {
        return of(
                new ResourceName(
                        "%s.%s.%s".formatted(type.plural(), type.version(), type.group())));
    }

    /** Returns the source of all resources that are not configured for another one. */
    public Source ofOthers() {
        return of(ANY);
    }

    /** {@inheritDoc} Only the source of what is not configured for another one discovers types. */
    @Override
    public boolean isDiscovered(ResourceType type) {
        return of(type).equals(ofOthers());
    }

    private Source last() {
        Source source = last.get();
        created = source;
        return source;
    }

    private Stream<Source> used() {
        return Stream.concat(first.stream(), Stream.ofNullable(created));
    }

    @Override
    public SourceDescription description() {
        String text =
                used().map(source -> source.description().text())
                        .collect(Collectors.joining(" and "));
        return new SourceDescription(text, text, "kubemirror.upstream");
    }

    /** {@inheritDoc} It is that of the first source in use that has one. */
    @Override
    public <T> Optional<T> as(Class<T> port) {
        return used().flatMap(source -> source.as(port).stream()).findFirst();
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
        return ofOthers().types();
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
