package io.kubemirror.api.read;

import module java.base;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;

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
            List<String> verbs,
            @JsonInclude(Include.NON_EMPTY) List<String> shortNames,
            @JsonInclude(Include.NON_EMPTY) List<String> categories,
            @JsonInclude(Include.NON_EMPTY) List<String> kubemirrorFields) {}

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
        return switch (path) {
            case RequestPath.Versions _ ->
                    root(exchange, true, () -> versions(address(exchange.request())));
            case RequestPath.Groups _ -> root(exchange, false, () -> groups(directory.types()));
            case RequestPath.Group(String group) ->
                    document(group, group(group, directory.types()), exchange);
            case RequestPath.Resources(String group, String version) ->
                    document(group, resources(group, version, directory.types()), exchange);
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
        if (document.isEmpty()) {
            return own(path, false);
        }
        if (!(GoJson.tree(document.get()) instanceof ObjectNode received)) {
            return Optional.empty();
        }
        boolean aggregated = received.path("kind").asString("").equals("APIGroupDiscoveryList");
        return own(path, aggregated)
                .filter(own -> DiscoveryMerge.add(GoJson.tree(own), received))
                .map(_ -> GoJson.line(received));
    }

    private List<ResourceType> further() {
        return directory.types().stream().filter(discovered.negate()).toList();
    }

    /** Returns the document with nothing but those types, empty if it would have none. */
    private Optional<byte[]> own(RequestPath.Discovery path, boolean aggregated) {
        List<ResourceType> types = further();
        return switch (path) {
            case RequestPath.Versions _ ->
                    aggregated ? Optional.of(aggregated(true, types)) : Optional.empty();
            case RequestPath.Groups _ ->
                    Optional.of(aggregated ? aggregated(false, types) : groups(types));
            case RequestPath.Group(String group) -> group(group, types);
            case RequestPath.Resources(String group, String version) ->
                    resources(group, version, types);
        };
    }

    private Reply root(Exchange exchange, boolean core, Supplier<byte[]> plain) throws Rejection {
        exchange.requireGet();
        describe(exchange);
        Representation chosen =
                Representation.choose(
                        exchange.parsed().accept(), SupportedMediaTypes.DISCOVERY, List.of(), true);
        Reply reply =
                chosen.shape() == ResponseShape.DISCOVERY
                        ? Reply.json(AGGREGATED, aggregated(core, directory.types()))
                        : Reply.json(plain.get());
        return formatted(reply, chosen, exchange);
    }

    private void describe(Exchange exchange) {
        if (!directory.isComplete()) {
            exchange.response().setHeader(StalenessPolicy.STATE, StalenessPolicy.INITIALIZING);
        }
    }

    private Reply document(String group, Optional<byte[]> document, Exchange exchange)
            throws Rejection {
        describe(exchange);
        Reply reply = document.map(Reply::json).orElseThrow(() -> Rejection.absent(group));
        exchange.requireGet();
        Representation chosen =
                Representation.choose(
                        exchange.parsed().accept(),
                        SupportedMediaTypes.DOCUMENT,
                        List.of(),
                        ResourceType.isBuiltIn(group));
        return formatted(reply, chosen, exchange);
    }

    private static Reply formatted(Reply reply, Representation chosen, Exchange exchange) {
        return exchange.parsed().isIndented(chosen.clause()) ? reply.indented() : reply;
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
                type.plural(),
                type.singular(),
                type.namespaced(),
                type.kind(),
                VERBS,
                type.shortNames(),
                type.categories(),
                directory.fields(type));
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
                VERBS,
                type.shortNames(),
                type.categories(),
                directory.fields(type));
    }

    /**
     * Adds one discovery document to another. All documents are built alike: groups have versions,
     * and versions have resources, each with a name.
     */
    static final class DiscoveryMerge {

        private static final Set<String> LISTS = Set.of("groups", "items", "versions", "resources");

        private DiscoveryMerge() {}

        /**
         * Appends each group, version, and resource that a document lacks. What it has stays as it
         * is, so versions that are appended are not preferred.
         *
         * @param from a document of the same kind
         * @param to the document to add to
         * @return whether anything was missing
         */
        static boolean add(JsonNode from, ObjectNode to) {
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
}
