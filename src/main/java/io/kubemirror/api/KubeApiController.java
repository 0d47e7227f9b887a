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
import io.kubemirror.api.read.ReadPlan;
import io.kubemirror.api.read.ReadPlan.ReadPlanner;
import io.kubemirror.api.server.Admission;
import io.kubemirror.api.server.RequestHandler;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.mirror.Mirror;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.HttpRequestHandler;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Serves the Kubernetes read API: handles every request that no other handler of the application
 * handles.
 *
 * <p>Rejected: mapped controller methods. Spring would decode paths, parameters, and media types
 * first, each slightly differently from the API server (list-watch.md#tr-2, #tr-6, #tr-9).
 */
final class KubeApiController implements HttpRequestHandler {

    private static final Logger log = LoggerFactory.getLogger(KubeApiController.class);

    private final MirrorDirectory directory;
    private final OnDemandTypes onDemand;
    private final DiscoveryEndpoints discovery;
    private final MirroredResourceHandler reads;
    private final ReadPlanner planner;
    private final RequestExecutor executor;
    private final RequestMeters meters;

    /**
     * Creates an instance.
     *
     * @param executor runs requests that may wait
     */
    KubeApiController(
            MirrorDirectory directory,
            OnDemandTypes onDemand,
            DiscoveryEndpoints discovery,
            MirroredResourceHandler reads,
            ReadPlanner planner,
            RequestExecutor executor,
            RequestMeters meters) {
        this.directory = directory;
        this.onDemand = onDemand;
        this.discovery = discovery;
        this.reads = reads;
        this.planner = planner;
        this.executor = executor;
        this.meters = meters;
    }

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
            Admission admission = Admission.take(request).orElse(null);
            if (admission == null) {
                // It was for a page that is available to everyone, and which does not exist.
                Reply.NOT_A_PAGE.send(response);
            } else if (admission.handling().isPresent()) {
                RequestHandler.Handling taken = admission.handling().get();
                executor.start(exchange, taken.memory(), () -> taken.answer().to(exchange));
            } else {
                route(path, admission.mirrors(), exchange);
            }
        } catch (Rejection rejection) {
            rejection.reply().toSender(request).send(response);
        }
        if (!request.isAsyncStarted()) {
            note.answered(response.getStatus());
        }
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

    private void route(RequestPath path, List<Mirror> mirrors, Exchange exchange)
            throws Rejection, IOException {
        HttpServletResponse response = exchange.response();
        switch (path) {
            case RequestPath.Elsewhere _, RequestPath.Extension _ ->
                    Reply.NOT_A_PAGE.send(response);
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
            case RequestPath.OfResource resource -> read(resource, mirrors, exchange);
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

    private void read(RequestPath.OfResource path, List<Mirror> mirrors, Exchange exchange)
            throws Rejection {
        boolean watch = path.isWatch(exchange.query());
        // The charge of the connection includes a watch, so thousands can be opened at once.
        int charge = watch ? 0 : ClientMemory.RESPONSE;
        boolean waits = reads.isForMirror(path, exchange.query());
        Optional<MirroredResource> present = present(path, waits, mirrors);
        if (present.isPresent()) {
            MirroredResource resource = checked(present.get(), exchange);
            executor.start(exchange, charge, () -> answer(path, resource, exchange));
        } else {
            executor.start(exchange, charge, () -> readFirst(path, waits, exchange));
        }
    }

    /**
     * Finds a resource that has mirrors, or had them when it was decided that mirrors answer: for
     * one that has been removed since, the API server may answer.
     */
    private Optional<MirroredResource> present(
            RequestPath.OfResource path, boolean waits, List<Mirror> mirrors) throws Rejection {
        try {
            return onDemand.present(path.resource(), waits, () -> find(path));
        } catch (Rejection absent) {
            if (mirrors.isEmpty() || absent.reply().code() != 404) {
                throw absent;
            }
            return Optional.of(find(path, mirrors));
        }
    }

    private MirroredResource find(RequestPath.OfResource path) throws Rejection {
        return find(path, directory.of(path.resource()));
    }

    private MirroredResource find(RequestPath.OfResource path, List<Mirror> mirrors)
            throws Rejection {
        boolean named = path instanceof RequestPath.Item;
        return directory.find(mirrors, path.resource(), !path.namespace().isEmpty(), named);
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
        ReadPlan.FromOther other = planner.beyond(path.resource()).orElse(null);
        try {
            if (!onDemand.demand(path.resource(), waits)
                    && other != null
                    && !directory.has(path.resource())) {
                return send(other, exchange);
            }
        } catch (Rejection denied) {
            if (other == null) {
                throw denied;
            }
            // The client may be permitted what kubemirror is not.
            return send(other, exchange);
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
     * (list-watch.md#ne-6, #ne-22), unless it cannot be.
     */
    private Optional<WatchConnection> answer(
            RequestPath.OfResource path, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        ReadPlan.FromOther other = planner.beyond(path.resource()).orElse(null);
        if (other != null && !reads.isRendered(path, resource, exchange)) {
            try {
                return send(other, exchange);
            } catch (Rejection unsent) {
                log.debug("A read is not passed on: {}", unsent.toString());
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
            return send(other, exchange);
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

    private Optional<WatchConnection> send(ReadPlan.FromOther other, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        return executor.answer(
                other.memory(),
                () -> {
                    other.answer().send(exchange);
                    return Optional.empty();
                });
    }
}
