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
import io.kubemirror.api.read.DiscoveryEndpoints;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.read.MirroredResource;
import io.kubemirror.api.read.OnDemandTypes;
import io.kubemirror.api.server.Admission;
import io.kubemirror.api.server.RequestHandler;
import io.kubemirror.api.server.RequestHandler.RequestHandlers;
import io.kubemirror.api.watch.WatchConnection;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.HttpRequestHandler;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Serves the Kubernetes read API: handles every request that no other handler of the application
 * handles.
 *
 * <p>Rejected: mapped controller methods. Spring would decode paths, parameters, and media types
 * first, each slightly differently from the API server (list-watch.md#tr-2, #tr-6, #tr-9).
 *
 * @param extensions answer what features add to the API
 * @param executor runs requests that may wait
 */
record KubeApiController(
        MirrorDirectory directory,
        OnDemandTypes onDemand,
        DiscoveryEndpoints discovery,
        MirroredResourceHandler reads,
        ObjectProvider<ApiExtension> extensions,
        RequestHandlers handlers,
        RequestExecutor executor,
        RequestMeters meters)
        implements HttpRequestHandler {

    /** Codes that say that the API server has not answered. */
    private static final Set<Integer> UNAVAILABLE = Set.of(502, 503, 504);

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        RequestMeters.RequestObservation note = meters.begin();
        try {
            ParsedRequest parsed = ParsedRequest.of(request);
            RequestPath path = parsed.requestPath();
            Query query = parsed.query();
            query.checkSize();
            boolean watch = isWatch(path, query);
            note.verb(verb(path, watch, request.getMethod()));
            Duration allotted = watch ? Query.MAX_TIMEOUT : query.timeout();
            Exchange exchange =
                    new Exchange(request, response, parsed, allotted, note, executor.memory());
            Admission admission = Admission.of(request).orElse(null);
            if (admission == null) {
                // It was for a page that is available to everyone, and which does not exist.
                Reply.NOT_A_PAGE.send(response);
            } else if (admission.handler().isPresent()) {
                pass(admission.handler().get(), exchange);
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

    private void pass(RequestHandler handler, Exchange exchange) throws Rejection {
        executor.start(
                exchange,
                handler.memory(),
                () -> {
                    handler.answer(exchange);
                    return Optional.empty();
                });
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

    private void route(RequestPath path, Exchange exchange) throws Rejection, IOException {
        HttpServletResponse response = exchange.response();
        switch (path) {
            case RequestPath.Elsewhere _ -> Reply.NOT_A_PAGE.send(response);
            case RequestPath.Malformed _ -> Reply.BAD_REQUEST.send(response);
            case RequestPath.Unserved unserved -> throw Rejection.absent(unserved.group());
            case RequestPath.Part part -> throw refusal(part);
            case RequestPath.VersionPath _ -> {
                exchange.requireGet();
                Reply.NOT_A_PAGE.send(response);
            }
            case RequestPath.Versions _ -> describe(discovery::versions, exchange);
            case RequestPath.Groups _ -> describe(discovery::groups, exchange);
            case RequestPath.Group group -> describe(one -> discovery.group(group, one), exchange);
            case RequestPath.Resources resources ->
                    describe(one -> discovery.resources(resources, one), exchange);
            case RequestPath.Extension extension -> extend(extension, exchange);
            case RequestPath.OfResource resource -> read(resource, exchange);
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

    /** The connection's charge is that of a watch, and an extension draws what it takes more. */
    private void extend(RequestPath.Extension path, Exchange exchange)
            throws Rejection, IOException {
        ApiExtension extension =
                extensions.stream()
                        .filter(one -> one.name().equals(path.name()))
                        .findFirst()
                        .orElse(null);
        if (extension == null) {
            Reply.NOT_A_PAGE.send(exchange.response());
            return;
        }
        exchange.requireGet();
        executor.start(exchange, 0, () -> extension.answer(exchange));
    }

    /**
     * Refuses subresources, which are not served. The response never says that the object is not
     * found, not even where the API server does, because a controller would assume that the object
     * is deleted.
     */
    private Rejection refusal(RequestPath.Part path) throws Rejection {
        if (onDemand.use(path.resource(), false)) {
            directory.find(path.resource(), !path.namespace().isEmpty(), true);
        }
        return new Rejection(
                path.isKnown()
                        ? StatusErrors.notPassedOn("serves no subresources")
                        : StatusErrors.noSuchResource());
    }

    private void read(RequestPath.OfResource path, Exchange exchange) throws Rejection {
        boolean watch = path.isWatch(exchange.query());
        // The charge of the connection includes a watch, so thousands can be opened at once.
        int charge = watch ? 0 : ClientMemory.RESPONSE;
        boolean waits = reads.isForMirror(path, exchange.query());
        Optional<MirroredResource> present =
                onDemand.present(path.resource(), waits, () -> find(path));
        if (present.isPresent()) {
            MirroredResource resource = checked(present.get(), exchange);
            executor.start(exchange, charge, () -> answer(path, resource, exchange));
        } else {
            executor.start(exchange, charge, () -> readFirst(path, waits, exchange));
        }
    }

    private MirroredResource find(RequestPath.OfResource path) throws Rejection {
        boolean named = path instanceof RequestPath.Item;
        return directory.find(path.resource(), !path.namespace().isEmpty(), named);
    }

    private static MirroredResource checked(MirroredResource resource, Exchange exchange)
            throws Rejection {
        exchange.note().resource(resource.name());
        // Every response warns about a deprecated type, including errors.
        resource.warnings().forEach(warning -> exchange.response().addHeader("Warning", warning));
        exchange.requireGet();
        return resource;
    }

    /**
     * Reads a type that has no mirror yet. The mirror reads the API server after this request, so
     * that they do not compete for it (list-watch.md#od-1).
     */
    private Optional<WatchConnection> readFirst(
            RequestPath.OfResource path, boolean waits, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        exchange.requireGet();
        RequestHandler other = handlers.reader(path.resource()).orElse(null);
        try {
            if (!onDemand.demand(path.resource(), waits)
                    && other != null
                    && !directory.has(path.resource())) {
                return passRead(other, exchange);
            }
        } catch (Rejection denied) {
            if (other == null) {
                throw denied;
            }
            // The client may be permitted what kubemirror is not.
            return passRead(other, exchange);
        }
        try {
            MirroredResource resource = onDemand.find(path.resource(), waits, () -> find(path));
            return reads.answer(path, checked(resource, exchange), exchange);
        } finally {
            onDemand.answered(path.resource());
        }
    }

    /**
     * Answers from the mirror. What it does not cover is passed on, and so is what it cannot render
     * (list-watch.md#ne-6, #ne-22), unless the API server is unavailable.
     */
    private Optional<WatchConnection> answer(
            RequestPath.OfResource path, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        RequestHandler other = handlers.reader(path.resource()).orElse(null);
        if (other != null
                && !reads.isRendered(path, resource, exchange)
                && other.accepts(exchange.request())) {
            try {
                return passRead(other, exchange);
            } catch (Rejection refusal) {
                if (!UNAVAILABLE.contains(refusal.reply().code())) {
                    throw refusal;
                }
            }
        }
        try {
            return reads.answer(path, resource, exchange);
        } catch (Rejection rejection) {
            if (isOverdue(rejection) && resource.isReplaced()) {
                return answer(path, replacement(path, rejection), exchange);
            }
            if (!rejection.isBeyondMirror() || other == null) {
                throw rejection;
            }
            return passRead(other, exchange);
        }
    }

    /** A mirror in whose place another one is shows no later write, and may never be in time. */
    private static boolean isOverdue(Rejection rejection) {
        return rejection.reply().code() == 504;
    }

    /**
     * Finds what is in the place of a mirror that was removed.
     *
     * @throws Rejection as before, if nothing is, as a mirror on demand may be there again for the
     *     next request; or that a mirror has been added, which does not know its type yet
     */
    private MirroredResource replacement(RequestPath.OfResource path, Rejection overdue)
            throws Rejection {
        try {
            return find(path);
        } catch (Rejection absent) {
            throw absent.reply().code() == 404 ? overdue : absent;
        }
    }

    private Optional<WatchConnection> passRead(RequestHandler other, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        return executor.answer(
                other.memory(),
                () -> {
                    other.answer(exchange);
                    return Optional.empty();
                });
    }
}
