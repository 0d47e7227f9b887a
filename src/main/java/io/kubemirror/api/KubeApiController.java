package io.kubemirror.api;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestMeters;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.passthrough.PassThrough;
import io.kubemirror.api.proxy.VersionEndpoint;
import io.kubemirror.api.read.DiscoveryEndpoints;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.read.MirroredResource;
import io.kubemirror.api.server.PermissionReader;
import io.kubemirror.model.Permission;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.HttpRequestHandler;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Serves the Kubernetes read API: handles every request that no other handler of the application
 * handles.
 *
 * <p>Rejected: mapped controller methods. Spring would decode paths, parameters, and media types
 * first, each slightly differently from the API server (list-watch.md#tr-2, #tr-6, #tr-9).
 *
 * @param executor runs requests that may wait
 */
record KubeApiController(
        MirrorDirectory directory,
        DiscoveryEndpoints discovery,
        MirroredResourceHandler reads,
        PassThrough passThrough,
        VersionEndpoint version,
        RequestExecutor executor,
        RequestMeters meters)
        implements HttpRequestHandler {

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        RequestMeters.RequestObservation note = meters.begin();
        try {
            ParsedRequest parsed = ParsedRequest.of(request);
            RequestPath path = RequestPath.parse(parsed.path());
            Query query = parsed.query();
            query.checkSize();
            boolean watch = isWatch(path, query);
            note.verb(verb(path, watch, request.getMethod()));
            Duration allotted = watch ? Query.LONGEST_TIMEOUT : query.timeout();
            Exchange exchange =
                    new Exchange(request, response, parsed, allotted, note, executor.memory());
            if (passThrough.takes(request)) {
                pass(exchange);
            } else {
                route(path, exchange);
            }
        } catch (Rejection rejection) {
            rejection.reply().toSender(request).send(response);
        }
        if (!request.isAsyncStarted()) {
            note.answered(response.getStatus());
        }
    }

    private void pass(Exchange exchange) throws Rejection {
        Permission permission = PermissionReader.ofMethod(exchange.request());
        executor.start(
                exchange,
                PassThrough.CHARGE,
                () -> {
                    passThrough.answer(permission, exchange);
                    return Optional.empty();
                });
    }

    private static boolean isWatch(RequestPath path, Query query) {
        return path instanceof RequestPath.OfResource resource && resource.isWatch(query);
    }

    private static String verb(RequestPath path, boolean watch, String method) {
        if (!method.equals("GET")) {
            return "other";
        }
        return watch ? "watch" : path instanceof RequestPath.Collection ? "list" : "get";
    }

    private void route(RequestPath path, Exchange exchange) throws Rejection, IOException {
        HttpServletResponse response = exchange.response();
        switch (path) {
            case RequestPath.Elsewhere _ -> Reply.NOT_A_PAGE.send(response);
            case RequestPath.Malformed _ -> Reply.BAD_REQUEST.send(response);
            case RequestPath.Unserved unserved -> throw Rejection.absent(unserved.group());
            case RequestPath.Part part -> throw refusal(part);
            case RequestPath.VersionPath _ -> version(exchange);
            case RequestPath.Versions _ -> discovery.versions(exchange).send(response);
            case RequestPath.Groups _ -> discovery.groups(exchange).send(response);
            case RequestPath.Group group -> discovery.group(group, exchange).send(response);
            case RequestPath.Resources resources ->
                    discovery.resources(resources, exchange).send(response);
            case RequestPath.OfResource resource -> read(resource, exchange);
        }
    }

    private void version(Exchange exchange) throws Rejection {
        exchange.requireGet();
        executor.start(
                exchange,
                ClientMemory.RESPONSE,
                () -> {
                    version.read(exchange.allotted()).send(exchange.response());
                    return Optional.empty();
                });
    }

    /**
     * Refuses subresources, which are not served. The response never says that the object is not
     * found, not even where the API server does, because a controller would assume that the object
     * is deleted.
     */
    private Rejection refusal(RequestPath.Part path) throws Rejection {
        directory.find(path.resource(), !path.namespace().isEmpty(), true);
        return new Rejection(
                path.isKnown() ? StatusErrors.methodNotAllowed() : StatusErrors.noSuchResource());
    }

    private void read(RequestPath.OfResource path, Exchange exchange) throws Rejection {
        boolean named = path instanceof RequestPath.Item;
        MirroredResource resource =
                directory.find(path.resource(), !path.namespace().isEmpty(), named);
        exchange.note().resource(resource.name());
        // Every response warns about a deprecated type, including errors.
        resource.warnings().forEach(warning -> exchange.response().addHeader("Warning", warning));
        exchange.requireGet();
        // The charge of the connection includes a watch, so thousands can be opened at once.
        int charge = path.isWatch(exchange.query()) ? 0 : ClientMemory.RESPONSE;
        executor.start(exchange, charge, () -> reads.answer(path, resource, exchange));
    }
}
