package io.kubemirror.feature.stream;

import module java.base;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.Plan.SelectedWatch;
import io.kubemirror.api.read.ReadPlanner;
import io.kubemirror.api.server.PermissionReader;
import io.kubemirror.api.server.RequestHandler;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.api.watch.WatchService;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Permission;
import io.kubemirror.model.ResourceName;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Answers requests for one stream of several resources (list-watch.md#streams). A resource is
 * selected as a request for it alone would be.
 */
@Order(StreamController.AFTER_PASS_THROUGH)
@Component
final class StreamController implements RequestHandler {

    /** Writes to any path are passed on. */
    static final int AFTER_PASS_THROUGH = 1;

    /**
     * The parameters that position a client in one resource, which the id of an event does here.
     */
    private static final List<String> POSITIONS =
            List.of("resourceVersion", "resourceVersionMatch", "sendInitialEvents");

    private final ReadPlanner single;
    private final WatchService watches;

    StreamController(ReadPlanner single, WatchService watches) {
        this.single = single;
        this.watches = watches;
    }

    /** The connection's charge is that of a watch, and the stream draws what it takes more. */
    @Override
    public Optional<Admission> decide(HttpServletRequest request, boolean mirrored) {
        return ParsedRequest.of(request).requestPath() instanceof RequestPath.Extension
                ? Optional.of(new Admission(this, Optional.of(StreamController::permissions), 0))
                : Optional.empty();
    }

    private static List<Permission> permissions(HttpServletRequest request) {
        List<Permission> each = PermissionReader.ofStream(ParsedRequest.of(request).query());
        return each.isEmpty() ? PermissionReader.allOfRead(request) : each;
    }

    /** Opens a stream. */
    @Override
    public Optional<WatchConnection> answer(Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        exchange.requireGet();
        List<RequestPath.Resource> resources = resources(exchange.query());
        ListOptions options = options(exchange);
        StreamPosition position = position(exchange, resources.size());
        List<SelectedWatch> parts = new ArrayList<>();
        for (RequestPath.Resource resource : resources) {
            parts.add(select(resource, parts.size(), options, position, exchange));
        }
        return watches.serve(parts, exchange);
    }

    /** Returns where the client continues (list-watch.md#ms-4). */
    private static StreamPosition position(Exchange exchange, int count) throws Rejection {
        String id = exchange.request().getHeader("Last-Event-ID");
        return id == null || id.isEmpty()
                ? StreamPosition.start(count)
                : StreamPosition.parse(id, count)
                        .orElseThrow(
                                () ->
                                        Rejection.badRequest(
                                                "Last-Event-ID is not that of a stream of these"
                                                        + " resources; start without it"));
    }

    private SelectedWatch select(
            RequestPath.Resource named,
            int number,
            ListOptions options,
            StreamPosition position,
            Exchange exchange)
            throws Rejection {
        String name = exchange.query().values("resource").get(number);
        Permission permission = PermissionReader.ofStream(exchange.query()).get(number);
        SelectedWatch selected =
                single.watch(
                        named,
                        position.revision(number).map(options::resumedAfter).orElse(options),
                        exchange);
        return new SelectedWatch(
                selected.wanted(),
                selected.frames(),
                selected.credentials().map(client -> client.with(permission)),
                frame -> position.place(frame, number, name));
    }

    private static List<RequestPath.Resource> resources(Query query) throws Rejection {
        List<RequestPath.Resource> resources = RequestPath.Extension.resources(query);
        if (resources.isEmpty() || resources.size() > RequestPath.Extension.MAX_RESOURCES) {
            throw Rejection.badRequest(
                    "resource names what to watch, such as resource=pods&resource=deployments.apps,"
                            + " and at most "
                            + RequestPath.Extension.MAX_RESOURCES
                            + " of them");
        }
        if (new HashSet<>(resources).size() < resources.size()) {
            throw Rejection.badRequest("resource names the same resource twice");
        }
        for (String name : query.values("resource")) {
            if (!ResourceName.isValid(name)) {
                throw Rejection.badRequest(
                        ("'%s' is not a resource; name its plural and group, such as"
                                        + " resource=pods&resource=deployments.apps")
                                .formatted(name));
            }
        }
        return resources;
    }

    /** Bookmarks and states are always on, because the former have the ends of the states. */
    private ListOptions options(Exchange exchange) throws Rejection {
        Query query = exchange.query();
        for (String name : POSITIONS) {
            if (query.get(name).isPresent()) {
                throw Rejection.badRequest(
                        name
                                + " is that of one resource; a stream of several continues after"
                                + " Last-Event-ID");
            }
        }
        ListOptions options = ListOptions.decode(query, true);
        Long timeout = options.streaming().timeoutSeconds();
        if (!options.streaming().bookmarks() || (timeout != null && timeout < 0)) {
            throw Rejection.badRequest(
                    "a stream of several resources needs bookmarks, and a timeoutSeconds that is"
                            + " not negative");
        }
        String namespace = query.text("namespace");
        if (!ObjectKey.isSegment(namespace) || namespace.indexOf('/') >= 0) {
            throw Rejection.badRequest("namespace is not the name of one");
        }
        if (exchange.isWebSocketUpgrade()) {
            throw Rejection.badRequest(
                    "a stream of several resources is not available by WebSocket");
        }
        return options;
    }
}
