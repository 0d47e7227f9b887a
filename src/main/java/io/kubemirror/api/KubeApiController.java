package io.kubemirror.api;

import module java.base;

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
import io.kubemirror.api.server.RequestHandler.Admission;
import io.kubemirror.api.server.RequestHandler.Handling;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.mirror.Mirror;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.HttpRequestHandler;

/**
 * Serves the get, list, watch, and discovery endpoints of the Kubernetes API from the mirrors, and
 * lets other handlers of requests answer what they have taken. Another server answers reads of what
 * the mirrors do not cover or cannot render, if one may.
 *
 * <p>The mirrors are those that were found when it was decided who answers. One that a reload has
 * removed since does not advance any more, so what needs a later state comes from the API server,
 * or the client tries again.
 *
 * <p>Rejected: mapped controller methods. Spring would decode paths, parameters, and media types
 * first, each slightly differently from the API server (list-watch.md#tr-2, #tr-6, #tr-9).
 */
final class KubeApiController implements HttpRequestHandler {

    private static final Logger log = LoggerFactory.getLogger(KubeApiController.class);

    private final OnDemandTypes onDemand;
    private final DiscoveryEndpoints discovery;
    private final MirrorDirectory directory;
    private final MirroredResourceHandler reads;
    private final ReadPlanner planner;
    private final RequestExecutor executor;
    private final RequestMeters meters;

    /**
     * Creates an instance.
     *
     * @param reads answers from mirrors
     * @param planner knows what else may answer
     * @param executor runs requests that may wait
     */
    KubeApiController(
            OnDemandTypes onDemand,
            DiscoveryEndpoints discovery,
            MirrorDirectory directory,
            MirroredResourceHandler reads,
            ReadPlanner planner,
            RequestExecutor executor,
            RequestMeters meters) {
        this.onDemand = onDemand;
        this.discovery = discovery;
        this.directory = directory;
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
            executor.start(exchange, taken.memory(), taken.answer());
        } else {
            serve(exchange.parsed().requestPath(), admission.mirrors(), exchange);
        }
    }

    private void serve(RequestPath path, List<Mirror> mirrors, Exchange exchange)
            throws Rejection, IOException {
        switch (path) {
            case RequestPath.OfResource resource -> serve(resource, mirrors, exchange);
            case RequestPath.Part part -> throw refusal(part);
            case RequestPath.Discovery document -> describe(document, exchange);
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

    /**
     * Starts a request.
     *
     * @param mirrors those of the resource when it was decided that mirrors answer
     * @throws Rejection if the request is refused at once
     */
    private void serve(RequestPath.OfResource path, List<Mirror> mirrors, Exchange exchange)
            throws Rejection {
        // The charge of the connection includes a watch, so thousands can be opened at once.
        int charge = path.isWatch(exchange.query()) ? 0 : ClientMemory.RESPONSE;
        boolean waits = reads.isForMirror(path, exchange.query());
        if (isFirst(path.resource(), waits, mirrors)) {
            executor.start(exchange, charge, one -> answerFirst(path, waits, one));
        } else {
            MirroredResource resource = checked(find(path, mirrors), exchange);
            executor.start(exchange, charge, one -> answer(path, resource, one));
        }
    }

    /**
     * Whether a request has to start the mirrors of a type on demand, or begins together with the
     * one that does.
     */
    private boolean isFirst(RequestPath.Resource resource, boolean waits, List<Mirror> mirrors) {
        boolean present = onDemand.use(resource, waits);
        boolean current = !mirrors.isEmpty() && mirrors.stream().noneMatch(Mirror::isRemoved);
        return !present || (!current && onDemand.serves(resource));
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

    /**
     * Reads a type that has no mirror yet. The mirror reads the API server after this request, so
     * that they do not compete for it (list-watch.md#od-1).
     */
    private Optional<WatchConnection> answerFirst(
            RequestPath.OfResource path, boolean waits, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        exchange.requireGet();
        RequestPath.Resource resource = path.resource();
        ReadPlan.FromOther other = planner.beyond(resource).orElse(null);
        try {
            boolean mirrored = onDemand.demand(resource, waits) || directory.has(resource);
            if (!mirrored && other != null) {
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
            MirroredResource started =
                    onDemand.find(resource, waits, () -> find(path, directory.of(resource)));
            return reads.answer(path, checked(started, exchange), exchange);
        } finally {
            onDemand.answered(resource);
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
            if (other == null || !rejection.isBeyondMirror()) {
                throw rejection;
            }
            return send(other, exchange);
        }
    }

    private Optional<WatchConnection> send(ReadPlan.FromOther other, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        return executor.answer(
                exchange,
                other.memory(),
                one -> {
                    other.answer().send(one);
                    return Optional.empty();
                });
    }

    /** Types on demand are those of the API server, which is asked for them. */
    private void describe(RequestPath.Discovery path, Exchange exchange)
            throws Rejection, IOException {
        if (onDemand.isEmpty()) {
            discovery.document(path, exchange).send(exchange.response());
        } else {
            executor.start(
                    exchange,
                    ClientMemory.RESPONSE,
                    one -> {
                        discovery.document(path, one).send(one.response());
                        return Optional.empty();
                    });
        }
    }
}
