package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;

import jakarta.servlet.http.HttpServletRequest;

/**
 * Derives the authorization attributes of a request in the same way as the API server.
 *
 * <p>For what kubemirror answers itself, every method counts as a read: nothing else is served, and
 * clients without read permission must not learn what is mirrored.
 *
 * <p>The path is parsed separately from {@link RequestPath}, because the API server also authorizes
 * paths that it does not serve, and ignores empty segments at both ends when it does.
 */
public final class PermissionReader {

    /** The first segments of resource paths. */
    private static final Set<String> PREFIXES = Set.of("api", "apis");

    /** Segments before the resource that set the verb. */
    private static final Map<String, Verb> VERBS = Map.of("watch", Verb.WATCH, "proxy", Verb.PROXY);

    /** Subresources that connect to a container. */
    private static final Set<String> CONNECTIONS =
            Set.of("pods/exec", "pods/attach", "pods/portforward");

    private static final Pattern OUTER_SLASHES = Pattern.compile("^/+|/+$");

    /** The maximum length of an object, namespace, group, or resource name. */
    private static final int MAX_NAME_LENGTH = 253;

    /** Longer than any served path that is not a resource path. */
    private static final int MAX_PATH_LENGTH = 1_024;

    private PermissionReader() {}

    /**
     * Returns whether anything can have the names of a permission. The API server is not called
     * about others, because a client can send any number of them.
     */
    static boolean isPossible(Permission permission) {
        return switch (permission) {
            case Permission.OnPath(var _, String path) -> path.length() <= MAX_PATH_LENGTH;
            case Permission.OnResource(
                            var _,
                            var group,
                            var version,
                            var resource,
                            var in,
                            var name) ->
                    arePossible(group, version, resource, in, name);
        };
    }

    private static boolean arePossible(String... names) {
        return Stream.of(names).allMatch(name -> name.length() <= MAX_NAME_LENGTH);
    }

    /** Returns the attributes of a request whose method counts as a read. */
    public static Permission of(HttpServletRequest request) {
        return of(request, "GET");
    }

    /** Returns the permissions that a request needs that kubemirror answers itself. */
    public static List<Permission> allOfRead(HttpServletRequest request) {
        return List.of(of(request));
    }

    /**
     * Returns the permissions that a stream needs, each of them: one for each of its resources, in
     * the order of its query (list-watch.md#ms-7).
     */
    public static List<Permission> ofStream(Query query) {
        String namespace = query.text("namespace");
        String name = selectedName(query);
        return RequestPath.Extension.resources(query).stream()
                .<Permission>map(
                        one ->
                                new Permission.OnResource(
                                        Verb.WATCH,
                                        one.group(),
                                        one.version(),
                                        one.plural(),
                                        namespace,
                                        name))
                .toList();
    }

    /**
     * Returns the permissions that a request needs that is passed on with its method, each of them.
     * As on the API server, a connection to a container needs the permission to create it, also if
     * a request upgrades to it that counts as a read.
     */
    public static List<Permission> allOfMethod(HttpServletRequest request) {
        Permission plain = ofMethod(request);
        return plain instanceof Permission.OnResource connecting
                        && connecting.verb() == Verb.GET
                        && connecting.group().isEmpty()
                        && CONNECTIONS.contains(connecting.resource())
                ? List.of(plain, connecting.with(Verb.CREATE))
                : List.of(plain);
    }

    /** Returns the attributes of a request that is passed on with its method. */
    public static Permission ofMethod(HttpServletRequest request) {
        return of(request, request.getMethod());
    }

    private static Permission of(HttpServletRequest request, String method) {
        ParsedRequest parsed = ParsedRequest.of(request);
        String path = parsed.path().orElseGet(request::getRequestURI);
        List<String> segments = List.of(OUTER_SLASHES.matcher(path).replaceAll("").split("/", -1));
        // The prefix, the group if there is one, the version, and at least a resource.
        boolean grouped = segments.getFirst().equals("apis");
        int version = grouped ? 2 : 1;
        if (!PREFIXES.contains(segments.getFirst()) || segments.size() < version + 2) {
            return onPath(path, method);
        }
        List<String> rest = segments.subList(version + 1, segments.size());
        if (VERBS.containsKey(rest.getFirst()) && rest.size() == 1) {
            return onPath(path, method);
        }
        Permission.OnResource read =
                resource(
                        grouped ? segments.get(1) : "",
                        segments.get(version),
                        rest,
                        parsed.query());
        return written(read, method);
    }

    private static Permission onPath(String path, String method) {
        return new Permission.OnPath(
                switch (method) {
                    case "HEAD", "POST", "PUT", "PATCH", "DELETE" -> Verb.valueOf(method);
                    default -> Verb.GET;
                },
                path);
    }

    /** Returns the attributes with the verb of a method. Those of a proxy do not depend on it. */
    private static Permission written(Permission.OnResource read, String method) {
        Verb verb =
                switch (method) {
                    case "POST" -> Verb.CREATE;
                    case "PUT" -> Verb.UPDATE;
                    case "PATCH", "DELETE" -> Verb.valueOf(method);
                    default -> null;
                };
        if (verb == null || read.verb() == Verb.PROXY) {
            return read;
        }
        boolean collection = read.verb() == Verb.LIST || read.verb() == Verb.WATCH;
        return new Permission.OnResource(
                verb == Verb.DELETE && collection ? Verb.DELETECOLLECTION : verb,
                read.group(),
                read.version(),
                read.resource(),
                read.namespace(),
                collection ? "" : read.name());
    }

    private static Permission.OnResource resource(
            String group, String version, List<String> rest, Query query) {
        Optional<Verb> verb = Optional.ofNullable(VERBS.get(rest.getFirst()));
        List<String> tail = verb.isPresent() ? rest.subList(1, rest.size()) : rest;
        String namespace = namespace(tail);
        List<String> object = RequestPath.isInNamespace(tail) ? tail.subList(2, tail.size()) : tail;
        String name = object.size() > 1 ? object.get(1) : "";
        String subresource = object.size() > 2 ? object.get(2) : "";
        String resource =
                subresource.isEmpty() ? object.getFirst() : object.getFirst() + "/" + subresource;
        boolean collection = verb.isEmpty() && name.isEmpty();
        Verb plain = !collection ? Verb.GET : query.isOn("watch") ? Verb.WATCH : Verb.LIST;
        return new Permission.OnResource(
                verb.orElse(plain),
                group,
                version,
                resource,
                namespace,
                collection ? selectedName(query) : name);
    }

    /** Returns the namespace in the path. A namespace object belongs to itself. */
    private static String namespace(List<String> tail) {
        return tail.getFirst().equals("namespaces") && tail.size() > 1 ? tail.get(1) : "";
    }

    /**
     * Returns the only name that the field selector of a collection can match, so that a permission
     * for one object is sufficient. Empty if any option of the request is malformed.
     */
    private static String selectedName(Query query) {
        try {
            String name =
                    ListOptions.decode(query, false).fields().required(ListOptions.NAME).orElse("");
            return ObjectKey.isSegment(name) && name.indexOf('/') < 0 && arePossible(name)
                    ? name
                    : "";
        } catch (Rejection malformed) {
            return "";
        }
    }
}
