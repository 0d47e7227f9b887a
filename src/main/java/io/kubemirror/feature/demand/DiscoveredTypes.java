package io.kubemirror.feature.demand;

import module java.base;

import io.kubemirror.api.http.RequestPath;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceName.Match;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Source.TypeLookup;

/**
 * The types that the API server lists and watches, as it has described them.
 *
 * @param types in the order in which names resolve to them
 */
record DiscoveredTypes(List<ResourceType> types) {

    /** Returns those of an answer of the server. */
    static DiscoveredTypes of(List<TypeLookup.Found> found) {
        return new DiscoveredTypes(
                found.stream()
                        .filter(TypeLookup.Found::watchable)
                        .map(TypeLookup.Found::type)
                        .toList());
    }

    /** Returns the type of a resource; the first one if the version is empty. */
    Optional<ResourceType> find(RequestPath.Resource resource) {
        return types.stream()
                .filter(type -> type.group().equals(resource.group()))
                .filter(type -> type.plural().equals(resource.plural()))
                .filter(
                        type ->
                                resource.version().isEmpty()
                                        || type.version().equals(resource.version()))
                .findFirst();
    }

    /** Returns whether a name resolves to a type. */
    boolean isNameOf(ResourceName name, ResourceType type) {
        return Stream.of(Match.VERSION, Match.GROUP)
                .flatMap(match -> types.stream().filter(one -> match(name, one) == match))
                .findFirst()
                .filter(type::equals)
                .isPresent();
    }

    private static Match match(ResourceName name, ResourceType type) {
        return name.match(type.group(), type.version(), type.plural());
    }

    /** Returns the name of a type, with the version unless it is the preferred one. */
    ResourceName nameOf(ResourceType type) {
        ResourceName name = new ResourceName(type.groupResource());
        return isNameOf(name, type)
                ? name
                : new ResourceName(
                        "%s.%s.%s".formatted(type.plural(), type.version(), type.group()));
    }
}
