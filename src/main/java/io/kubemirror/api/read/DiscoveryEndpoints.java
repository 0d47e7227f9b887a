package io.kubemirror.api.read;

import module java.base;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonUnwrapped;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.GoJson;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.Representation;
import io.kubemirror.api.http.Representation.ResponseShape;
import io.kubemirror.api.http.Representation.SupportedMediaTypes;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.model.ResourceType;

import jakarta.servlet.http.HttpServletRequest;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Serves discovery requests (list-watch.md#discovery). The documents contain exactly the mirrored
 * types that have been resolved (list-watch.md#di-1 to #di-8). They are created for each request,
 * because clients cache them for hours and types are resolved one after another.
 *
 * <p>Types that are not resolved yet are missing in the documents. A response header says so,
 * because another kubemirror that mirrors this one would otherwise conclude that the types do not
 * exist. An error is no option, because clients cannot do anything without a document
 * (list-watch.md#di-15).
 *
 * <p>If requests are passed on, the documents are the API server's (list-watch.md#di-16). {@link
 * #merged} adds the types that it does not know, and the documents of this class are the answer
 * while it cannot be reached.
 */
public record DiscoveryEndpoints(MirrorDirectory directory, Predicate<ResourceType> discovered) {

    private static final String AGGREGATED =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    private static final List<String> VERBS = List.of("get", "list", "watch");

    /** The lists of the documents, which contain each other. */
    private static final Set<String> LISTS = Set.of("groups", "items", "versions", "resources");

    private record Versions(
            String kind, List<String> versions, List<Address> serverAddressByClientCIDRs) {}

    private record Address(String clientCIDR, String serverAddress) {}

    private record GroupList(String kind, String apiVersion, List<Group> groups) {}

    /**
     * An API group. {@code kind} and {@code apiVersion} are written only if the group is the whole
     * document.
     */
    private record Group(
            @JsonInclude(Include.NON_EMPTY) String kind,
            @JsonInclude(Include.NON_EMPTY) String apiVersion,
            String name,
            List<Version> versions,
            Version preferredVersion) {}

    private record Version(String groupVersion, String version) {}

    private record ResourceList(
            String kind, String apiVersion, String groupVersion, List<Resource> resources) {}

    private record Resource(
            String name,
            String singularName,
            boolean namespaced,
            String kind,
            @JsonUnwrapped Uses uses) {}

    /** What clients can do with a resource, and how people name it. */
    private record Uses(
            List<String> verbs,
            @JsonInclude(Include.NON_EMPTY) List<String> shortNames,
            @JsonInclude(Include.NON_EMPTY) List<String> categories,
            @JsonInclude(Include.NON_EMPTY) List<String> kubemirrorFields) {}

    private record AggregatedList(
            String kind, String apiVersion, Metadata metadata, List<AggregatedGroup> items) {}

    private record Metadata(@JsonInclude(Include.NON_EMPTY) String name) {}

    private record AggregatedGroup(Metadata metadata, List<AggregatedVersion> versions) {}

    private record AggregatedVersion(
            String version, List<AggregatedResource> resources, String freshness) {}

    private record AggregatedResource(
            String resource,
            ResponseKind responseKind,
            String scope,
            String singularResource,
            @JsonUnwrapped Uses uses) {}

    private record ResponseKind(String group, String version, String kind) {}

    /**
     * Sends a document.
     *
     * @throws Rejection as {@link #document} does
     * @throws IOException if the client has disconnected
     */
    public void send(RequestPath.Discovery path, Exchange exchange) throws Rejection, IOException {
        document(path, exchange).send(exchange.response());
    }

    /**
     * Returns a document.
     *
     * @throws Rejection if no type of its group or version is mirrored, or the client accepts no
     *     available media type
     */
    public Reply document(RequestPath.Discovery path, Exchange exchange) throws Rejection {
        if (!directory.isComplete()) {
            exchange.response().setHeader(StalenessPolicy.STATE, StalenessPolicy.INITIALIZING);
        }
        List<ResourceType> types = directory.types();
        String server = address(exchange.request());
        String group =
                switch (path) {
                    case RequestPath.Versions _, RequestPath.Groups _ -> "";
                    case RequestPath.Group(String name) -> name;
                    case RequestPath.Resources(String name, var _) -> name;
                };
        boolean root = path instanceof RequestPath.Versions || path instanceof RequestPath.Groups;
        byte[] plain =
                document(path, false, types, server).orElseThrow(() -> Rejection.absent(group));
        exchange.requireGet();
        Representation chosen =
                Representation.choose(
                        exchange.parsed().accept(),
                        root ? SupportedMediaTypes.DISCOVERY : SupportedMediaTypes.DOCUMENT,
                        List.of(),
                        ResourceType.isBuiltIn(group));
        Reply reply =
                chosen.shape() == ResponseShape.DISCOVERY
                        ? Reply.json(AGGREGATED, document(path, true, types, server).orElse(plain))
                        : Reply.json(plain);
        return exchange.parsed().isIndented(chosen.clause()) ? reply.indented() : reply;
    }

    /**
     * Returns a document of some types, empty if none of them belongs to it.
     *
     * @param server the address and port of this server
     */
    private Optional<byte[]> document(
            RequestPath.Discovery path,
            boolean aggregated,
            List<ResourceType> types,
            String server) {
        return switch (path) {
            case RequestPath.Versions _ ->
                    Optional.of(aggregated ? aggregated(true, types) : versions(server));
            case RequestPath.Groups _ ->
                    Optional.of(aggregated ? aggregated(false, types) : groups(types));
            case RequestPath.Group(String group) -> group(group, types);
            case RequestPath.Resources(String group, String version) ->
                    resources(group, version, types);
        };
    }

    /** Returns the address that a request has reached. */
    private static String address(HttpServletRequest request) {
        return request.getLocalAddr() + ":" + request.getLocalPort();
    }

    /** Whether there are mirrored types that the API server does not discover. */
    public boolean hasFurther() {
        return !further().isEmpty();
    }

    /**
     * Adds the mirrored types that the API server does not discover to one of its documents
     * (list-watch.md#di-16). Nothing else in the document changes.
     *
     * @param path the path of the document
     * @param document the JSON of the API server, empty if it has no such document
     * @return the JSON to send, empty if nothing is missing in the document
     */
    public Optional<byte[]> merged(RequestPath.Discovery path, Optional<byte[]> document) {
        List<ResourceType> types = further();
        if (document.isEmpty()) {
            return path instanceof RequestPath.Versions
                    ? Optional.empty()
                    : document(path, false, types, "");
        }
        if (!(GoJson.tree(document.get()) instanceof ObjectNode received)) {
            return Optional.empty();
        }
        boolean aggregated = received.path("kind").asString("").equals("APIGroupDiscoveryList");
        return document(path, aggregated, types, "")
                .filter(own -> add(GoJson.tree(own), received))
                .map(_ -> GoJson.line(received));
    }

    private List<ResourceType> further() {
        return directory.types().stream().filter(discovered.negate()).toList();
    }

    /**
     * Returns the document of {@code /api} (list-watch.md#di-1).
     *
     * @param server the address and port of this server
     */
    private static byte[] versions(String server) {
        return GoJson.line(
                new Versions(
                        "APIVersions", List.of("v1"), List.of(new Address("0.0.0.0/0", server))));
    }

    /** Returns the document of {@code /apis} (list-watch.md#di-1). */
    private static byte[] groups(List<ResourceType> types) {
        List<Group> groups =
                byGroup(false, types).entrySet().stream()
                        .map(group -> group("", "", group.getKey(), group.getValue()))
                        .toList();
        return GoJson.line(new GroupList("APIGroupList", "v1", groups));
    }

    /** Returns the document of one group (list-watch.md#di-1), empty if no type belongs to it. */
    private static Optional<byte[]> group(String group, List<ResourceType> types) {
        return Optional.ofNullable(byGroup(false, types).get(group))
                .map(members -> GoJson.line(group("APIGroup", "v1", group, members)));
    }

    /**
     * Returns the document of one version (list-watch.md#di-1), empty if no type belongs to it.
     * Core v1 is always present, because clients treat its absence as a broken server.
     */
    private Optional<byte[]> resources(String group, String version, List<ResourceType> types) {
        List<Resource> resources =
                types.stream()
                        .filter(type -> type.group().equals(group))
                        .filter(type -> type.version().equals(version))
                        .map(this::resource)
                        .toList();
        if (resources.isEmpty() && !(group.isEmpty() && version.equals("v1"))) {
            return Optional.empty();
        }
        String groupVersion = group.isEmpty() ? version : group + "/" + version;
        return Optional.of(
                GoJson.line(new ResourceList("APIResourceList", "v1", groupVersion, resources)));
    }

    /**
     * Returns everything below {@code /api} or below {@code /apis} in one aggregated document
     * (list-watch.md#di-6, #di-8).
     *
     * @param core true for {@code /api}, false for {@code /apis}
     */
    private byte[] aggregated(boolean core, List<ResourceType> types) {
        List<AggregatedGroup> groups =
                byGroup(core, types).entrySet().stream()
                        .map(
                                group ->
                                        new AggregatedGroup(
                                                new Metadata(group.getKey()),
                                                aggregatedVersions(group.getValue())))
                        .toList();
        return GoJson.line(
                new AggregatedList(
                        "APIGroupDiscoveryList",
                        "apidiscovery.k8s.io/v2",
                        new Metadata(""),
                        groups));
    }

    private static Map<String, List<ResourceType>> byGroup(boolean core, List<ResourceType> types) {
        return types.stream()
                .filter(type -> type.group().isEmpty() == core)
                .collect(
                        Collectors.groupingBy(
                                ResourceType::group, LinkedHashMap::new, Collectors.toList()));
    }

    private static Group group(
            String kind, String apiVersion, String name, List<ResourceType> types) {
        List<Version> versions =
                types.stream()
                        .map(ResourceType::version)
                        .distinct()
                        .map(version -> new Version(name + "/" + version, version))
                        .toList();
        return new Group(kind, apiVersion, name, versions, versions.getFirst());
    }

    private Resource resource(ResourceType type) {
        return new Resource(
                type.plural(), type.singular(), type.namespaced(), type.kind(), uses(type));
    }

    private Uses uses(ResourceType type) {
        return new Uses(VERBS, type.shortNames(), type.categories(), directory.fields(type));
    }

    private List<AggregatedVersion> aggregatedVersions(List<ResourceType> types) {
        return types.stream()
                .collect(
                        Collectors.groupingBy(
                                ResourceType::version,
                                LinkedHashMap::new,
                                Collectors.mapping(this::aggregatedResource, Collectors.toList())))
                .entrySet()
                .stream()
                .map(
                        version ->
                                new AggregatedVersion(
                                        version.getKey(), version.getValue(), "Current"))
                .toList();
    }

    private AggregatedResource aggregatedResource(ResourceType type) {
        return new AggregatedResource(
                type.plural(),
                new ResponseKind(type.group(), type.version(), type.kind()),
                type.namespaced() ? "Namespaced" : "Cluster",
                type.singular(),
                uses(type));
    }

    /**
     * Adds one discovery document to another: appends each group, version, and resource that it
     * lacks. What it has stays as it is, so versions that are appended are not preferred. All
     * documents are built alike: groups have versions, and versions have resources, each with a
     * name.
     *
     * @param from a document of the same kind
     * @param to the document to add to
     * @return whether anything was missing
     */
    private static boolean add(JsonNode from, ObjectNode to) {
        boolean added = false;
        for (String name : LISTS) {
            for (JsonNode element : from.path(name)) {
                // Also in place of null, which stands for an empty list.
                ArrayNode list =
                        to.get(name) instanceof ArrayNode known ? known : to.putArray(name);
                added |= add(element, list);
            }
        }
        return added;
    }

    private static boolean add(JsonNode element, ArrayNode to) {
        Optional<String> name = name(element);
        for (JsonNode known : to) {
            if (name(known).equals(name)) {
                return known instanceof ObjectNode present && add(element, present);
            }
        }
        to.add(element);
        return true;
    }

    /** Returns the name of a group, a version, or a resource, empty if it is the core group. */
    private static Optional<String> name(JsonNode element) {
        return Stream.of("/name", "/resource", "/version", "/metadata/name")
                .map(path -> element.at(path).asString(""))
                .filter(name -> !name.isEmpty())
                .findFirst();
    }
}
