package io.kubemirror.kube;

import module java.base;

import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceName.Match;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.TypeLookup;

/**
 * The types that a server serves and kubemirror can mirror, in the order in which names resolve to
 * them: core, then the groups of Kubernetes itself, then all others; within a group the preferred
 * version first.
 */
final class TypeCatalog {

    private static final int MAX_SIMILAR = 3;

    private final List<TypeLookup.Found> types = new ArrayList<>();
    private final List<Missing> missing = new ArrayList<>();

    /**
     * Adds a type. Types of one group must be added in the order of preference of their versions.
     */
    void add(ResourceType type, boolean watchable) {
        types.add(new TypeLookup.Found(type, watchable));
    }

    /** Adds a group and version whose types are not available. */
    void addMissing(String group, String version, Failure failure) {
        missing.add(new Missing(group, version, failure));
    }

    /** Returns all types in the order in which names resolve to them. */
    List<TypeLookup.Found> all() {
        return types.stream()
                .sorted(Comparator.comparingInt(found -> rank(found.type().group())))
                .toList();
    }

    /** Finds the type for a name. Subresources are not in the catalog. */
    Result<TypeLookup> find(ResourceName name) {
        List<TypeLookup.Found> ordered = all();
        return Stream.of(Match.VERSION, Match.GROUP)
                .flatMap(
                        match ->
                                ordered.stream()
                                        .filter(found -> match(name, found.type()) == match))
                .findFirst()
                .map(Result::<TypeLookup>of)
                .or(() -> failure(name).map(Result::failed))
                .orElseGet(() -> Result.of(new TypeLookup.Unknown(similar(name))));
    }

    private static Match match(ResourceName name, ResourceType type) {
        return name.match(type.group(), type.version(), type.plural());
    }

    /** Returns why a type is missing that the name may refer to. */
    private Optional<Failure> failure(ResourceName name) {
        return missing.stream()
                .filter(m -> name.match(m.group, m.version, name.plural()) != Match.NONE)
                .map(Missing::failure)
                .findFirst();
    }

    private static int rank(String group) {
        if (group.isEmpty()) {
            return 0;
        }
        return ResourceType.isBuiltIn(group) ? 1 : 2;
    }

    /**
     * Returns the names of the types that have the word as plural, singular, short name or kind.
     */
    private List<String> similar(ResourceName name) {
        String word = name.plural();
        return types.stream()
                .map(TypeLookup.Found::type)
                .filter(
                        type ->
                                word.equals(type.plural())
                                        || word.equals(type.singular())
                                        || type.shortNames().contains(word)
                                        || word.equals(type.kind().toLowerCase(Locale.ROOT)))
                .map(ResourceType::groupResource)
                .distinct()
                .limit(MAX_SIMILAR)
                .toList();
    }

    /** A group and version whose types are not available. */
    private record Missing(String group, String version, Failure failure) {}
}
