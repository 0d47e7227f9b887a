package io.kubemirror.api;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestMeters;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.DiscoveryEndpoints;
import io.kubemirror.api.read.OnDemandTypes;
import io.kubemirror.api.server.RequestHandler.Admission;
import io.kubemirror.api.server.RequestHandler.Handling;
import io.kubemirror.mirror.Mirror;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.HttpRequestHandler;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Serves the get, list, watch, and discovery endpoints of the Kubernetes API from the mirrors, and
 * lets other handlers of requests answer what they have taken.
 *
 * <p>Rejected: mapped controller methods. Spring would decode paths, parameters, and media types
 * first, each slightly differently from the API server (list-watch.md#tr-2, #tr-6, #tr-9).
 */
final class KubeApiController implements HttpRequestHandler {

    private final OnDemandTypes onDemand;
    private final DiscoveryEndpoints discovery;
    private final ResourceEndpoints resources;
    private final RequestExecutor executor;
    private final RequestMeters meters;

    /**
     * Creates an instance.
     *
     * @param executor runs requests that may wait
     */
    KubeApiController(
            OnDemandTypes onDemand,
            DiscoveryEndpoints discovery,
            ResourceEndpoints resources,
            RequestExecutor executor,
            RequestMeters meters) {
        this.onDemand = onDemand;
        this.discovery = discovery;
        this.resources = resources;
        this.executor = executor;
        this.meters = meters;
    }

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        RequestMeters.RequestObservation note = meters.begin();
        try {
            handle(exchange(request, response, note));
        } catch (Rejection rejection) {
            rejection.reply().toSender(request).send(response);
        }
        if (!request.isAsyncStarted()) {
            note.answered(response.getStatus());
        }
    }

    private Exchange exchange(
            HttpServletRequest request,
            HttpServletResponse response,
            RequestMeters.RequestObservation note)
            throws Rejection {
        ParsedRequest parsed = ParsedRequest.of(request);
        parsed.query().checkSize();
        boolean watch = isWatch(parsed.requestPath(), parsed.query());
        note.verb(verb(parsed.requestPath(), watch, request.getMethod()));
        Duration allotted = watch ? Query.MAX_TIMEOUT : parsed.query().timeout();
        return new Exchange(request, response, parsed, allotted, note, executor.memory());
    }

    private static boolean isWatch(RequestPath path, Query query) {
        return path instanceof RequestPath.Extension
                || (path instanceof RequestPath.OfResource resource && resource.isWatch(query));
    }

    private static String verb(RequestPath path, boolean watch, String method) {
        if (!method.equals("GET")) {
            return "other";
        }
        return watch ? "watch" : path instanceof RequestPath.Collection ? "list" : "get";
    }

    /** Answers a request as it was decided when its credentials were checked. */
    private void handle(Exchange exchange) throws Rejection, IOException {
        Admission admission = Admission.take(exchange.request()).orElse(null);
        if (admission == null) {
            // It was for a page that is available to everyone, and which does not exist.
            Reply.NOT_A_PAGE.send(exchange.response());
        } else if (admission.handling().isPresent()) {
            Handling taken = admission.handling().get();
            executor.start(exchange, taken.memory(), () -> taken.answer().to(exchange));
        } else {
            serve(exchange.parsed().requestPath(), admission.mirrors(), exchange);
        }
    }

    private void serve(RequestPath path, List<Mirror> mirrors, Exchange exchange)
            throws Rejection, IOException {
        switch (path) {
            case RequestPath.OfResource resource -> resources.serve(resource, mirrors, exchange);
            case RequestPath.Part part -> throw resources.refusal(part);
            case RequestPath.Versions _ -> describe(discovery::versions, exchange);
            case RequestPath.Groups _ -> describe(discovery::groups, exchange);
            case RequestPath.Group group -> describe(one -> discovery.group(group, one), exchange);
            case RequestPath.Resources all ->
                    describe(one -> discovery.resources(all, one), exchange);
            case RequestPath.Unserved unserved -> throw Rejection.absent(unserved.group());
            case RequestPath.Malformed _ -> Reply.BAD_REQUEST.send(exchange.response());
            case RequestPath.VersionPath _ -> {
                exchange.requireGet();
                Reply.NOT_A_PAGE.send(exchange.response());
            }
            case RequestPath.Elsewhere _, RequestPath.Extension _ ->
                    Reply.NOT_A_PAGE.send(exchange.response());
        }
    }

    /** A discovery document. */
    @FunctionalInterface
    private interface DiscoveryDocument {
        Reply of(Exchange exchange) throws Rejection;
    }

    /** Types on demand are those of the API server, which is asked for them. */
    private void describe(DiscoveryDocument document, Exchange exchange)
            throws Rejection, IOException {
        if (onDemand.isEmpty()) {
            document.of(exchange).send(exchange.response());
        } else {
            executor.start(
                    exchange,
                    ClientMemory.RESPONSE,
                    () -> {
                        document.of(exchange).send(exchange.response());
                        return Optional.empty();
                    });
        }
    }
}
