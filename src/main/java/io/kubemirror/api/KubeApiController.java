package io.kubemirror.api;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestLimits;
import io.kubemirror.api.http.RequestMeters;
import io.kubemirror.api.http.RequestObservation;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.RequestTimeout;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.proxy.VersionEndpoint;
import io.kubemirror.api.read.DiscoveryReads;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.read.MirroredResource;
import io.kubemirror.api.watch.WatchSession;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.HttpRequestHandler;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Serves the Kubernetes read API: handles every request that no other handler of the application
 * handles.
 *
 * <p>Work that may wait, for a revision or for a client that reads a list slowly, runs on a thread
 * of its own, so that a few platform threads serve any number of clients. A watch leaves that
 * thread as soon as it is open.
 *
 * <p>Rejected: mapped controller methods. Spring would decode paths, parameters, and media types
 * first, each slightly differently from the API server (list-watch.md#tr-2, #tr-6, #tr-9).
 */
final class KubeApiController implements HttpRequestHandler {

    private static final Logger log = LoggerFactory.getLogger(KubeApiController.class);

    private final MirrorDirectory directory;
    private final DiscoveryReads discovery;
    private final MirroredResourceHandler reads;
    private final VersionEndpoint version;
    private final Threads threads;

    /**
     * The execution of requests.
     *
     * @param starter runs each task immediately, on a thread of its own
     * @param open tracks the requests in progress
     * @param meters counts the requests
     * @param memory the budget that a request is charged to until it is answered
     */
    record Threads(
            Executor starter, RequestTracker open, RequestMeters meters, ClientMemory memory) {}

    /**
     * Creates the controller.
     *
     * @param threads executes requests that may wait
     */
    KubeApiController(
            MirrorDirectory directory,
            DiscoveryReads discovery,
            MirroredResourceHandler reads,
            VersionEndpoint version,
            Threads threads) {
        this.directory = directory;
        this.discovery = discovery;
        this.reads = reads;
        this.version = version;
        this.threads = threads;
    }

    /** A read request that may wait. */
    @FunctionalInterface
    private interface ReadTask {

        /** Answers the request, or opens a watch that is the rest of the response. */
        Optional<WatchSession> run() throws Rejection, IOException, InterruptedException;
    }

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        RequestObservation note = threads.meters().begin();
        try {
            RequestPath path = RequestPath.parse(request.getRequestURI());
            RequestLimits.checkQuery(request.getQueryString());
            Query query = Query.parse(request.getQueryString());
            note.verb(verb(path, query, request.getMethod()));
            Duration allotted =
                    isWatch(path, query) ? RequestTimeout.MAXIMUM : RequestTimeout.of(query);
            route(path, new Exchange(request, response, query, allotted, note, threads.memory()));
        } catch (Rejection rejection) {
            rejection.reply().toSender(request).send(response);
        }
        if (!request.isAsyncStarted()) {
            note.answered(response.getStatus());
        }
    }

    private static String verb(RequestPath path, Query query, String method) {
        if (!method.equals("GET")) {
            return "other";
        }
        return isWatch(path, query)
                ? "watch"
                : path instanceof RequestPath.Collection ? "list" : "get";
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
            case RequestPath.Collection collection -> read(collection, exchange);
            case RequestPath.Item item -> read(item, exchange);
        }
    }

    private void version(Exchange exchange) throws Rejection {
        exchange.requireGet();
        start(
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

    private void read(RequestPath.Collection path, Exchange exchange) throws Rejection {
        MirroredResource resource =
                directory.find(path.resource(), !path.namespace().isEmpty(), false);
        concern(resource, exchange);
        exchange.requireGet();
        // The charge of the connection includes a watch, so thousands can be opened at once.
        int charge = isWatch(path, exchange.query()) ? 0 : ClientMemory.RESPONSE;
        start(exchange, charge, () -> reads.answer(path, resource, exchange));
    }

    private void read(RequestPath.Item path, Exchange exchange) throws Rejection {
        MirroredResource resource =
                directory.find(path.resource(), !path.namespace().isEmpty(), true);
        concern(resource, exchange);
        exchange.requireGet();
        start(exchange, ClientMemory.RESPONSE, () -> reads.answer(path, resource, exchange));
    }

    /** Adds a warning to every response about a deprecated type, including errors. */
    private static void concern(MirroredResource resource, Exchange exchange) {
        exchange.note().resource(resource.name());
        resource.warnings().forEach(warning -> exchange.response().addHeader("Warning", warning));
    }

    private void start(Exchange exchange, int charge, ReadTask read) throws Rejection {
        if (!threads.memory().responses().tryAcquire(charge)) {
            throw new Rejection(StatusErrors.outOfMemory());
        }
        AsyncContext async = exchange.request().startAsync();
        // The container must not end an idle watch (list-watch.md#tr-4).
        async.setTimeout(0);
        threads.open().begun();
        Runnable answered = () -> answered(exchange, async);
        threads.starter()
                .execute(
                        () -> {
                            Optional<WatchSession> watch = Optional.empty();
                            try {
                                watch = run(read, exchange);
                            } finally {
                                threads.memory().responses().release(charge);
                                watch.ifPresentOrElse(
                                        session -> serve(session, answered), answered);
                            }
                        });
    }

    /**
     * Completes the request on another thread, so that the container's work does not delay other
     * watches.
     */
    private void serve(WatchSession watch, Runnable answered) {
        watch.start(() -> threads.starter().execute(answered));
    }

    private void answered(Exchange exchange, AsyncContext async) {
        exchange.note().answered(exchange.response().getStatus());
        complete(async);
        threads.open().ended();
    }

    private static void complete(AsyncContext async) {
        try {
            async.complete();
        } catch (IllegalStateException ended) {
            log.debug("The container has ended the request itself: {}", ended.toString());
        }
    }

    private static Optional<WatchSession> run(ReadTask read, Exchange exchange) {
        try {
            try {
                return read.run();
            } catch (Rejection rejection) {
                rejection.reply().toSender(exchange.request()).send(exchange.response());
            }
        } catch (IOException gone) {
            exchange.note().answered(RequestObservation.ABANDONED);
            log.debug("A client went away: {}", gone.toString());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException bug) {
            log.error("A request failed", bug);
            fail(exchange.response());
        }
        return Optional.empty();
    }

    private static void fail(HttpServletResponse response) {
        if (response.isCommitted()) {
            return;
        }
        try {
            response.resetBuffer();
            Reply.of(StatusErrors.internal("see the log of kubemirror")).send(response);
        } catch (IOException gone) {
            log.debug("A client went away: {}", gone.toString());
        }
    }

    private static boolean isWatch(RequestPath path, Query query) {
        return path instanceof RequestPath.Collection collection
                ? collection.deprecatedWatch() || query.isOn("watch")
                : path instanceof RequestPath.Item item && item.deprecatedWatch();
    }
}
