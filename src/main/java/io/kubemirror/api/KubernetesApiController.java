package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.encode.DocumentEncoder;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestMeters;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.DiscoveryEndpoints;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.read.Plan;
import io.kubemirror.api.read.ReadPlanner;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.api.server.RequestHandler.Admission;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.api.watch.WatchService;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.SnapshotPins.Pin;
import io.kubemirror.model.Revision;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;

/**
 * Answers the Kubernetes API, and all else that clients ask for on its port.
 *
 * <p>Paths are parsed once, as the API server parses them (list-watch.md#pa-19), and permissions
 * are read from the same {@link RequestPath}. Rejected: patterns of Spring, which decodes and
 * splits paths slightly differently.
 */
@RestController
final class KubernetesApiController {

    private static final Logger log = LoggerFactory.getLogger(KubernetesApiController.class);

    /** What people look for at this port, and the management port has. */
    private static final Pattern MANAGED = Pattern.compile("/|/metrics|/actuator(/.*)?");

    private static final Reply OTHER_PORT =
            Reply.text(
                    404,
                    "404 page not found; health, metrics, and the status page are at the management"
                            + " port (management.server.port)\n",
                    Reply.NOT_A_PAGE.headers());

    private final RequestExecutor executor;
    private final RequestMeters meters;
    private final ReadPlanner planner;
    private final DocumentEncoder encoder;
    private final WatchService watches;
    private final DiscoveryEndpoints discovery;
    private final MirrorDirectory directory;

    KubernetesApiController(
            RequestExecutor executor,
            RequestMeters meters,
            ReadPlanner planner,
            DocumentEncoder encoder,
            WatchService watches,
            DiscoveryEndpoints discovery,
            MirrorDirectory directory) {
        this.executor = executor;
        this.meters = meters;
        this.planner = planner;
        this.encoder = encoder;
        this.watches = watches;
        this.discovery = discovery;
        this.directory = directory;
    }

    /** Answers a request. */
    @RequestMapping({"/api/**", "/apis/**", "/**"})
    void answer(HttpServletRequest request, HttpServletResponse wrapped) throws IOException {
        // Spring wraps it for asynchronous results of its own.
        HttpServletResponse response =
                wrapped instanceof HttpServletResponseWrapper wrapper
                        ? (HttpServletResponse) wrapper.getResponse()
                        : wrapped;
        Exchange exchange =
                new Exchange(
                        request,
                        response,
                        ParsedRequest.of(request),
                        meters.begin(),
                        executor.memory());
        // Without one, it was for a page that is available to everyone, and does not exist.
        Optional<Admission> admission = Admission.take(request);
        note(exchange, admission.map(Admission::mirrors).orElse(List.of()));
        executor.run(
                exchange,
                admission.map(Admission::memory).orElse(0),
                one -> {
                    one.allotted();
                    return answer(
                            admission.orElseThrow(() -> new Rejection(Reply.NOT_A_PAGE)), one);
                });
    }

    /** Answers a request with the method that Spring would answer itself. */
    @RequestMapping(path = "/**", method = RequestMethod.OPTIONS)
    void options(HttpServletRequest request, HttpServletResponse response) throws IOException {
        answer(request, response);
    }

    /** Notes what a request asks for, whether it gets it or not. */
    private static void note(Exchange exchange, List<Mirror> mirrors) {
        boolean reads = exchange.request().getMethod().equals("GET");
        boolean collection = exchange.parsed().requestPath() instanceof RequestPath.Collection;
        String verb = exchange.isWatch() ? "watch" : collection ? "list" : "get";
        exchange.note().verb(reads ? verb : "other");
        if (!mirrors.isEmpty()) {
            exchange.note().resource(mirrors.getFirst().scope().resource().text());
        }
    }

    private Optional<WatchConnection> answer(Admission admission, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        if (admission.handler().isPresent()) {
            return admission.handler().get().answer(exchange);
        }
        return switch (exchange.parsed().requestPath()) {
            case RequestPath.OfResource path ->
                    carryOut(planner.plan(path, admission.mirrors(), exchange), exchange);
            case RequestPath.Discovery path -> {
                discovery.document(path, exchange).send(exchange.response());
                yield Optional.empty();
            }
            case RequestPath.Other path -> throw refusal(path, exchange);
        };
    }

    private Optional<WatchConnection> carryOut(Plan plan, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        return switch (plan) {
            case Plan.Get(var object, var revision, var form) -> {
                show(revision, exchange);
                encoder.send(form, object, exchange);
                yield Optional.empty();
            }
            case Plan.Page page -> {
                send(page, exchange);
                yield Optional.empty();
            }
            case Plan.SelectedWatch watch -> watches.serve(List.of(watch), exchange);
            case Plan.FromServer(int memory, var answer) ->
                    executor.charge(
                            exchange,
                            memory,
                            one -> {
                                answer.send(one);
                                return Optional.empty();
                            });
        };
    }

    /**
     * Sends a page of a list, which holds its state in memory. A client that has not read it in the
     * time of the request gets a part of it, as from the API server (list-watch.md#de-7).
     *
     * @throws Rejection if the client accepts no representation that there is
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted while it waits for memory
     */
    private void send(Plan.Page plan, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        show(plan.state().revision(), exchange);
        CompletableFuture<Void> sent =
                new CompletableFuture<Void>()
                        .orTimeout(exchange.allotted().toMillis(), TimeUnit.MILLISECONDS);
        sent.exceptionally(_ -> abort(exchange));
        Mirror mirror = plan.wanted().mirror();
        try (Pin _ = mirror.pin(plan.state(), () -> abortSlow(mirror, exchange))) {
            encoder.send(plan.form(), plan.wanted(), plan.history(), plan.page(), exchange);
        } finally {
            sent.complete(null);
        }
    }

    private static void abortSlow(Mirror mirror, Exchange exchange) {
        log.warn("{}: aborting a list of a slow client, because memory is low", mirror.scope());
        abort(exchange);
    }

    private static @Nullable Void abort(Exchange exchange) {
        Thread.ofVirtual().name("abort").start(exchange::abort);
        return null;
    }

    /** Returns why a path is refused that neither mirrors nor discovery serve. */
    private Rejection refusal(RequestPath.Other path, Exchange exchange) throws Rejection {
        return switch (path) {
            case RequestPath.Part part -> subresource(part);
            case RequestPath.Unserved(var group) -> Rejection.absent(group);
            case RequestPath.VersionPath _ -> {
                exchange.requireGet();
                yield new Rejection(Reply.NOT_A_PAGE);
            }
            case RequestPath.Elsewhere _
                    when exchange.parsed().path().filter(MANAGED.asMatchPredicate()).isPresent() ->
                    new Rejection(OTHER_PORT);
            case RequestPath.Extension _, RequestPath.Malformed _, RequestPath.Elsewhere _ ->
                    new Rejection(Reply.NOT_A_PAGE);
        };
    }

    private static void show(Revision revision, Exchange exchange) {
        exchange.response().setHeader(StalenessPolicy.REVISION, revision.digits());
    }

    /**
     * Refuses subresources, which are not served. The response never says that the object is not
     * found, not even where the API server does, because a controller would assume that the object
     * is deleted.
     */
    private Rejection subresource(RequestPath.Part path) throws Rejection {
        directory.find(path.resource(), !path.namespace().isEmpty(), true);
        return new Rejection(
                path.isKnown()
                        ? StatusErrors.notPassedOn("serves no subresources")
                        : StatusErrors.noSuchResource());
    }
}
