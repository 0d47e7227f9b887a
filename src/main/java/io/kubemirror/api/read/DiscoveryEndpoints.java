package io.kubemirror.api.read;

import module java.base;

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

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
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
 * <p>If requests are passed on, the documents are the API server's (list-watch.md#di-16), and those
 * of this class are the answer while it cannot be reached.
 */
public record DiscoveryEndpoints(MirrorDirectory directory) {

    private static final String AGGREGATED =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    private static final List<String> VERBS = List.of("get", "list", "watch");

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
        String server = address(exchange.request());
        boolean root = path instanceof RequestPath.Versions || path instanceof RequestPath.Groups;
        ObjectNode plain =
                document(path, false, server).orElseThrow(() -> Rejection.absent(path.group()));
        exchange.requireGet();
        Representation chosen =
                Representation.choose(
                        exchange.parsed().accept(),
                        root ? SupportedMediaTypes.DISCOVERY : SupportedMediaTypes.DOCUMENT,
                        List.of(),
                        ResourceType.isBuiltIn(path.group()));
        Reply reply =
                chosen.shape() == ResponseShape.DISCOVERY
                        ? Reply.json(
                                AGGREGATED, GoJson.line(document(path, true, server).orElse(plain)))
                        : Reply.json(GoJson.line(plain));
        return exchange.parsed().isIndented(chosen.clause()) ? reply.indented() : reply;
    }

    /**
     * Returns a document of the mirrored types, empty if none of them belongs to it.
     *
     * @param aggregated whether to return everything below the path
     * @param server the address and port of this server
     */
    public Optional<ObjectNode> document(
            RequestPath.Discovery path, boolean aggregated, String server) {
        List<ResourceType> types = directory.types();
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

    /**
     * Returns the document of {@code /api} (list-watch.md#di-1).
     *
     * @param server the address and port of this server
     */
    private static ObjectNode versions(String server) {
        ObjectNode document = node("kind", "APIVersions");
        document.putArray("versions").add("v1");
        document.putArray("serverAddressByClientCIDRs")
                .add(node("clientCIDR", "0.0.0.0/0", "serverAddress", server));
        return document;
    }

    /** Returns the document of {@code /apis} (list-watch.md#di-1). */
    private static ObjectNode groups(List<ResourceType> types) {
        ObjectNode document = node("kind", "APIGroupList", "apiVersion", "v1");
        ArrayNode groups = document.putArray("groups");
        byGroup(false, types).forEach((name, members) -> groups.add(group(node(), name, members)));
        return document;
    }

    /** Returns the document of one group (list-watch.md#di-1), empty if no type belongs to it. */
    private static Optional<ObjectNode> group(String group, List<ResourceType> types) {
        return Optional.ofNullable(byGroup(false, types).get(group))
                .map(
                        members ->
                                group(
                                        node("kind", "APIGroup", "apiVersion", "v1"),
                                        group,
                                        members));
    }

    /**
     * Returns the document of one version (list-watch.md#di-1), empty if no type belongs to it.
     * Core v1 is always present, because clients treat its absence as a broken server.
     */
    private Optional<ObjectNode> resources(String group, String version, List<ResourceType> types) {
        List<ObjectNode> resources =
                types.stream()
                        .filter(type -> type.group().equals(group))
                        .filter(type -> type.version().equals(version))
                        .map(this::resource)
                        .toList();
        if (resources.isEmpty() && !(group.isEmpty() && version.equals("v1"))) {
            return Optional.empty();
        }
        String groupVersion = group.isEmpty() ? version : group + "/" + version;
        ObjectNode document =
                node("kind", "APIResourceList", "apiVersion", "v1", "groupVersion", groupVersion);
        document.putArray("resources").addAll(resources);
        return Optional.of(document);
    }

    /**
     * Returns everything below {@code /api} or below {@code /apis} in one aggregated document
     * (list-watch.md#di-6, #di-8).
     *
     * @param core true for {@code /api}, false for {@code /apis}
     */
    private ObjectNode aggregated(boolean core, List<ResourceType> types) {
        ObjectNode document =
                node("kind", "APIGroupDiscoveryList", "apiVersion", "apidiscovery.k8s.io/v2");
        document.putObject("metadata");
        ArrayNode groups = document.putArray("items");
        byGroup(core, types)
                .forEach(
                        (name, members) -> {
                            ObjectNode group = groups.addObject();
                            ObjectNode metadata = group.putObject("metadata");
                            if (!core) {
                                metadata.put("name", name);
                            }
                            addVersions(group.putArray("versions"), members);
                        });
        return document;
    }

    private static Map<String, List<ResourceType>> byGroup(boolean core, List<ResourceType> types) {
        return by(
                ResourceType::group,
                types.stream().filter(type -> type.group().isEmpty() == core).toList());
    }

    private static Map<String, List<ResourceType>> by(
            Function<ResourceType, String> name, List<ResourceType> types) {
        return types.stream()
                .collect(Collectors.groupingBy(name, LinkedHashMap::new, Collectors.toList()));
    }

    private static ObjectNode group(ObjectNode to, String name, List<ResourceType> types) {
        List<ObjectNode> versions =
                types.stream()
                        .map(ResourceType::version)
                        .distinct()
                        .map(one -> node("groupVersion", name + "/" + one, "version", one))
                        .toList();
        to.put("name", name).putArray("versions").addAll(versions);
        return to.set("preferredVersion", versions.getFirst());
    }

    private ObjectNode resource(ResourceType type) {
        ObjectNode resource = node("name", type.plural(), "singularName", type.singular());
        resource.put("namespaced", type.namespaced()).put("kind", type.kind());
        return withUses(resource, type);
    }

    /** Adds what clients can do with a resource, and how people name it. */
    private ObjectNode withUses(ObjectNode resource, ResourceType type) {
        add(resource, "verbs", VERBS);
        add(resource, "shortNames", type.shortNames());
        add(resource, "categories", type.categories());
        add(resource, "kubemirrorFields", directory.fields(type));
        return resource;
    }

    private static void add(ObjectNode to, String name, List<String> values) {
        if (!values.isEmpty()) {
            values.forEach(to.putArray(name)::add);
        }
    }

    private void addVersions(ArrayNode to, List<ResourceType> types) {
        by(ResourceType::version, types)
                .forEach(
                        (version, members) -> {
                            ObjectNode one = to.addObject().put("version", version);
                            one.putArray("resources")
                                    .addAll(
                                            members.stream()
                                                    .map(this::aggregatedResource)
                                                    .toList());
                            one.put("freshness", "Current");
                        });
    }

    private ObjectNode aggregatedResource(ResourceType type) {
        ObjectNode resource = node("resource", type.plural());
        resource.set(
                "responseKind",
                node("group", type.group(), "version", type.version(), "kind", type.kind()));
        resource.put("scope", type.namespaced() ? "Namespaced" : "Cluster")
                .put("singularResource", type.singular());
        return withUses(resource, type);
    }

    /** Returns an object with some members, whose names and texts alternate. */
    private static ObjectNode node(String... members) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < members.length; i += 2) {
            node.put(members[i], members[i + 1]);
        }
        return node;
    }
}
