package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.json.CollectionFormat;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceName.Match;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Unreachable.Kind;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ResourceDefinition;
import io.kubemirror.source.Source.ResourceDefinition.PrinterColumn;
import io.kubemirror.source.Source.TypeLookup;

import tools.jackson.databind.JsonNode;

/**
 * Discovers the types that the API server serves from two aggregated documents (list-watch.md#di-6
 * to #di-8), and reads the definitions of custom resources.
 *
 * <p>Rejected: one document for each group and version, as servers before Kubernetes 1.30 have
 * them. It is a second way with partial failures of its own.
 */
final class DiscoveryClient {

    private static final String AGGREGATED =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

    private static final String DEFINITIONS =
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/";

    private static final String METADATA =
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

    private final BiFunction<String, String, Result<JsonNode>> source;
    private final TypeCatalog catalog = new TypeCatalog();

    /**
     * Creates a client for a single use.
     *
     * @param source gets the document at a path, in the form that the second argument accepts
     */
    DiscoveryClient(BiFunction<String, String, Result<JsonNode>> source) {
        this.source = source;
    }

    /** Finds the type for a name. */
    Result<TypeLookup> resolve(ResourceName name) {
        return read(() -> catalog.find(name));
    }

    /** Returns all types that can be listed. */
    Result<List<TypeLookup.Found>> types() {
        return read(() -> Result.of(catalog.all()));
    }

    /** Reads both documents. A server may have no core types. */
    private <T> Result<T> read(Supplier<Result<T>> result) {
        Result<JsonNode> core = source.apply("/api", AGGREGATED);
        boolean none =
                core instanceof Result.Failed(Failure.Refused(var status)) && status.code() == 404;
        return (none ? Result.of(true) : core.then(this::add))
                .then(_ -> source.apply("/apis", AGGREGATED))
                .then(this::add)
                .then(_ -> result.get());
    }

    /** Reads which state of its definition a custom resource has. */
    Result<String> generation(ResourceType type) {
        return source.apply(DEFINITIONS + type.groupResource(), METADATA)
                .then(
                        document -> {
                            JsonNode metadata = document.path("metadata");
                            String uid = text(metadata, "uid");
                            return Result.of(" " + uid + " " + metadata.path("generation"));
                        });
    }

    /** Reads what the definition of a custom resource declares for the version of a type. */
    Result<ResourceDefinition> definition(ResourceType type) {
        return source.apply(DEFINITIONS + type.groupResource(), CollectionFormat.JSON)
                .then(definition -> Result.of(definition(type, definition)));
    }

    private static ResourceDefinition definition(ResourceType type, JsonNode definition) {
        String kind = text(definition.at("/status/acceptedNames"), "listKind");
        String listKind = kind.equals(type.kind() + "List") ? "" : kind;
        return definition
                .at("/spec/versions")
                .valueStream()
                .filter(version -> text(version, "name").equals(type.version()))
                .findFirst()
                .map(version -> definition(version, listKind))
                .orElse(ResourceDefinition.NONE);
    }

    /** Adds the types of a document. */
    private Result<Boolean> add(JsonNode document) {
        if (!text(document, "kind").equals("APIGroupDiscoveryList")) {
            return Result.failed(
                    new Failure.Malformed(
                            "the server has no aggregated discovery; kubemirror needs Kubernetes"
                                    + " 1.30 or newer"));
        }
        for (JsonNode item : document.path("items")) {
            String group = text(item.path("metadata"), "name");
            for (JsonNode version : item.path("versions")) {
                readVersion(group, version);
            }
        }
        return Result.of(true);
    }

    /**
     * Reads a version. If the server of an aggregated API is down, the version is marked as stale,
     * with or without resources.
     */
    private void readVersion(String group, JsonNode node) {
        String version = text(node, "version");
        if (text(node, "freshness").equals("Stale")) {
            String reason = "discovery of " + group + "/" + version + " is stale";
            catalog.addMissing(group, version, new Failure.Unreachable(reason, Kind.BROKEN));
        }
        for (JsonNode resource : node.path("resources")) {
            add(group, version, resource);
        }
    }

    /** Adds the type of a resource, unless it cannot be mirrored. */
    private void add(String group, String version, JsonNode resource) {
        ResourceType type =
                new ResourceType(
                        group,
                        version,
                        text(resource.path("responseKind"), "kind"),
                        text(resource, "resource"),
                        text(resource, "singularResource"),
                        text(resource, "scope").equals("Namespaced"),
                        texts(resource, "shortNames"),
                        texts(resource, "categories"));
        List<String> verbs = texts(resource, "verbs");
        if (verbs.contains("list") && !type.kind().isEmpty()) {
            catalog.add(type, verbs.contains("watch"));
        }
    }

    private static ResourceDefinition definition(JsonNode version, String listKind) {
        return new ResourceDefinition(
                version.path("additionalPrinterColumns")
                        .valueStream()
                        .map(DiscoveryClient::column)
                        .toList(),
                version.path("selectableFields")
                        .valueStream()
                        .flatMap(field -> selectable(text(field, "jsonPath")))
                        .toList(),
                listKind);
    }

    private static PrinterColumn column(JsonNode column) {
        String path = text(column, "jsonPath");
        String description = text(column, "description");
        return new PrinterColumn(
                text(column, "name"),
                text(column, "type"),
                text(column, "format"),
                description.isEmpty()
                        ? "Custom resource definition column (in JSONPath format): " + path
                        : description,
                column.path("priority").asInt(0),
                path);
    }

    /**
     * Parses a path. A path that is not supported here is not supported by the API server either,
     * so it is skipped.
     */
    private static Stream<SelectableField> selectable(String path) {
        try {
            return Stream.of(SelectableField.at(path));
        } catch (IllegalArgumentException unreadable) {
            return Stream.empty();
        }
    }

    private static String text(JsonNode node, String name) {
        return node.path(name).asString("");
    }

    private static List<String> texts(JsonNode node, String name) {
        return node.path(name).valueStream().map(text -> text.asString("")).toList();
    }

    /**
     * The types that a server serves and kubemirror can mirror, in the order in which names resolve
     * to them: core, then the groups of Kubernetes itself, then all others; within a group the
     * preferred version first.
     */
    static final class TypeCatalog {

        private static final int MAX_SIMILAR = 3;

        private final List<TypeLookup.Found> types = new ArrayList<>();
        private final List<Missing> missing = new ArrayList<>();

        /**
         * Adds a type. Types of one group must be added in the order of preference of their
         * versions.
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
            return name.resolve(all(), TypeLookup.Found::type)
                    .map(Result::<TypeLookup>of)
                    .or(() -> failure(name).map(Result::failed))
                    .orElseGet(() -> Result.of(new TypeLookup.Unknown(similar(name))));
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
         * Returns the names of the types that have the word as plural, singular, short name or
         * kind.
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
}
