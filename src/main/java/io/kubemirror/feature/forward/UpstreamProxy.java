package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.ResponseWriter;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.Floors;
import io.kubemirror.api.read.MirroredResource;
import io.kubemirror.api.read.SingleFlight;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.kube.PassThroughApi;
import io.kubemirror.kube.PassThroughApi.CredentialOwner;
import io.kubemirror.kube.PassThroughApi.PassedRequest;
import io.kubemirror.kube.PassThroughApi.PassedResponse;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;

import jakarta.servlet.http.HttpServletResponse;

import org.apache.commons.io.input.CloseShieldInputStream;
import org.apache.commons.io.input.TeeInputStream;
import org.springframework.web.util.UriUtils;

/**
 * Forwards gets and lists to the API server, with the credentials of kubemirror
 * (list-watch.md#fr-3).
 *
 * <p>Body, content type, and status code of the response are those of the server, errors included.
 * The proxy requests JSON only, in the variants that the client accepts, because it has to read the
 * revision.
 *
 * <p>Identical concurrent requests share one response, which stays in memory and is charged to the
 * budget until the last client has received it. A response that is too large is streamed to the
 * first client, and the others send their own requests. Rejected: streaming to all of them at once,
 * where the slowest client would delay the others.
 */
public final class UpstreamProxy {

    /** The maximum size of a shared response in bytes. */
    public static final int MAX_SHARED = 4 * 1024 * 1024;

    /**
     * The maximum size of a response that is read before it is sent, if no other client shares it.
     * A larger one reaches the client while it arrives. With gzip, a few megabytes of objects are
     * this small, and the client decodes them while the server encodes the rest.
     */
    private static final int MAX_SINGLE = 64 * 1024;

    /** The maximum number of different requests at a time, which bounds the memory. */
    static final int MAX_CONCURRENT = 64;

    /** How often the bytes of a response exist at most, when they are joined. */
    private static final int COPIES = 2;

    private static final String STATE = "proxied";

    private static final Failure NO_SERVER = new Failure.Malformed("no API server is configured");

    private final Source api;
    private final Floors floors;
    private final MemoryBudget budget;
    private final String agent;
    private final Duration silence;
    private final SingleFlight<PassedRequest, Result<ProxiedResponse>> flight;

    /**
     * Creates a proxy.
     *
     * @param floors are raised by every revision that is served
     * @param threads runs each task immediately, on its own thread
     * @param budget the budget for responses that are kept in memory
     * @param agent how kubemirror names itself to the server
     * @param silence how long the server may be silent
     */
    UpstreamProxy(
            Source api,
            Floors floors,
            Executor threads,
            MemoryBudget budget,
            String agent,
            Duration silence) {
        this.api = api;
        this.floors = floors;
        this.budget = budget;
        this.agent = agent;
        this.silence = silence;
        this.flight = new SingleFlight<>(MAX_CONCURRENT, threads);
    }

    /**
     * Forwards a list.
     *
     * @throws Rejection if the server does not respond, or it may ignore what selects or sorts the
     *     list (list-watch.md#sh-8, #or-10)
     * @throws IOException if the client or the server has disconnected
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    void answer(CollectionRequest wanted, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        if (wanted.isForMirrorOnly()) {
            throw new Rejection(Reply.OVERDUE);
        }
        String namespace = wanted.selection().namespace();
        answer(wanted.type(), namespace, "", wanted.isExact(), wanted.mirror(), exchange);
    }

    /**
     * Forwards a get.
     *
     * @param resource the resource in the path
     * @param mirror the mirror that covers the object
     * @throws Rejection if the server does not respond, or the object that it has may be outside of
     *     the selectors of the mirror by now (list-watch.md#ca-7)
     * @throws IOException if the client or the server has disconnected
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    void answer(MirroredResource resource, RequestPath.Item item, Mirror mirror, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        if (!mirror.scope().selectors().isEmpty()) {
            throw new Rejection(Reply.OVERDUE);
        }
        answer(resource.type(), item.namespace(), item.name(), false, mirror, exchange);
    }

    /**
     * Returns whether the API server has reached the revision that the client names. If it has not,
     * its error is the response: the most recent state would be older than the client allows
     * (list-watch.md#li-20). Rejected: passing the revision on with the request itself, because an
     * answer that is only not older may be from before an answered write.
     */
    private boolean isReached(ResourceType type, String namespace, Mirror mirror, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        Query query = exchange.query();
        Revision known = Revision.later(mirror.revision(), floors.of(mirror));
        Revision named = ListOptions.revision(query.text("resourceVersion"), mirror.revision());
        if (!query.text("continue").isEmpty() || !named.isAfter(known)) {
            return true;
        }
        Map<String, String> parameters =
                Map.of(
                        "resourceVersion", named.digits(),
                        "resourceVersionMatch", "NotOlderThan",
                        "limit", "1");
        PassedRequest request =
                request(target(type, namespace, "", parameters), ResponseDocument.JSON, "identity");
        try (ProxiedResponse response = fetch(request, exchange)) {
            if (response.answer().code() == 200) {
                return true;
            }
            send(response, mirror, exchange);
            return false;
        }
    }

    /**
     * Returns the parameters that the client sent, changed to request the most recent state unless
     * it wants the state at one revision. No response is older than that.
     */
    private static Map<String, String> parameters(Query query, boolean exact) {
        Map<String, String> parameters = new HashMap<>(query.all());
        parameters.remove("watch");
        if (!exact) {
            parameters.remove("resourceVersion");
            parameters.remove("resourceVersionMatch");
        }
        if (query.text("resourceVersion").equals("0")) {
            // It is ignored with revision 0 (list-watch.md#li-4), but the forwarded request for the
            // most recent state would apply it.
            parameters.remove("limit");
        }
        return parameters;
    }

    private void answer(
            ResourceType type,
            String namespace,
            String name,
            boolean exact,
            Mirror mirror,
            Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        if (!exact && !isReached(type, namespace, mirror, exchange)) {
            return;
        }
        PassedRequest request =
                request(
                        target(type, namespace, name, parameters(exchange.query(), exact)),
                        exchange.parsed().accept().json(),
                        ResponseWriter.takesGzip(exchange.request()) ? "gzip" : "identity");
        try (ProxiedResponse response = fetch(request, exchange)) {
            send(response, mirror, exchange);
        }
    }

    private PassedRequest request(String target, String accept, String encoding) {
        Map<String, List<String>> headers =
                Map.of(
                        "Accept", List.of(accept),
                        "Accept-Encoding", List.of(encoding),
                        "User-Agent", List.of(agent));
        return new PassedRequest(
                CredentialOwner.KUBEMIRROR, "GET", target, headers, null, null, silence);
    }

    /**
     * Returns path and query of a read.
     *
     * @param name the name of the object, empty for a list
     * @param parameters the decoded query
     * @throws IllegalArgumentException if the namespace or the name is not a plain path segment, by
     *     which a client would reach what is not mirrored (list-watch.md#pa-19)
     */
    static String target(
            ResourceType type, String namespace, String name, Map<String, String> parameters) {
        if (!ObjectKey.isSegment(namespace) || !ObjectKey.isSegment(name)) {
            throw new IllegalArgumentException("invalid name or namespace");
        }
        String query =
                new TreeMap<>(parameters)
                        .entrySet().stream()
                                .map(
                                        parameter ->
                                                escaped(parameter.getKey())
                                                        + "="
                                                        + escaped(parameter.getValue()))
                                .collect(Collectors.joining("&"));
        return type.collectionPath(escaped(namespace))
                + (name.isEmpty() ? "" : "/" + escaped(name))
                + (query.isEmpty() ? "" : "?" + query);
    }

    private static String escaped(String text) {
        return UriUtils.encode(text, StandardCharsets.UTF_8);
    }

    /** Returns a share of a response, which the caller closes. */
    private ProxiedResponse fetch(PassedRequest request, Exchange exchange)
            throws Rejection, InterruptedException {
        SingleFlight.Share<Result<ProxiedResponse>> share =
                flight.joinCounted(request, shares -> fetch(request, shares))
                        .orElseThrow(() -> new Rejection(StatusErrors.tooManyProxied()));
        ProxiedResponse response = value(await(share, exchange.allotted()));
        if (response.isWhole() || share.first()) {
            return response;
        }
        response.release();
        return value(fetch(request, 1));
    }

    private static ProxiedResponse value(Result<ProxiedResponse> result) throws Rejection {
        return switch (result) {
            case Result.Success(var response) -> response;
            case Result.Failed(var failure) -> throw new Rejection(status(failure));
        };
    }

    private static Result<ProxiedResponse> await(
            SingleFlight.Share<Result<ProxiedResponse>> share, Duration allotted)
            throws Rejection, InterruptedException {
        try {
            return share.await(allotted);
        } catch (TimeoutException overdue) {
            abandon(share);
            throw new Rejection(Reply.OVERDUE);
        } catch (InterruptedException stopped) {
            abandon(share);
            throw stopped;
        }
    }

    /** Closes a streamed response that no other client will read. */
    private static void abandon(SingleFlight.Share<Result<ProxiedResponse>> share) {
        var _ =
                share.result()
                        .thenAccept(
                                result -> {
                                    if (result instanceof Result.Success(var response)) {
                                        if (share.first()) {
                                            response.close();
                                        } else {
                                            response.release();
                                        }
                                    }
                                });
    }

    private Result<ProxiedResponse> fetch(PassedRequest request, int shares) {
        return api.as(PassThroughApi.class)
                .map(server -> server.pass(request))
                .orElseGet(() -> Result.failed(NO_SERVER))
                .then(answer -> begin(answer, shares));
    }

    /** Reads a response until its end, the maximum shared size, or the end of the memory. */
    private Result<ProxiedResponse> begin(PassedResponse answer, int shares) {
        if (answer.code() / 100 == 3) {
            answer.close();
            return Result.failed(Failure.Refused.of(answer.code(), "the API server redirects"));
        }
        try {
            int max = shares == 1 ? MAX_SINGLE : MAX_SHARED;
            ResponseDocument beginning = ResponseDocument.read(answer.body(), budget, COPIES, max);
            try {
                return Result.of(proxied(answer, beginning, shares));
            } catch (IOException unreadable) {
                beginning.close();
                throw unreadable;
            }
        } catch (IOException broken) {
            answer.close();
            return Result.failed(
                    new Failure.Unreachable(
                            "the response is incomplete", Failure.Unreachable.Kind.BROKEN));
        }
    }

    private static ProxiedResponse proxied(
            PassedResponse answer, ResponseDocument beginning, int shares) throws IOException {
        Optional<Revision> revision = Optional.empty();
        if (beginning.isComplete()) {
            answer.close();
            revision = revision(answer, new ByteArrayInputStream(beginning.bytes()));
            beginning.keep();
        }
        return new ProxiedResponse(answer, beginning, revision, new AtomicInteger(shares));
    }

    /** Reads the revision in a body. The client gets the body encoded as the server has sent it. */
    private static Optional<Revision> revision(PassedResponse answer, InputStream body)
            throws IOException {
        if (answer.code() != 200) {
            return Optional.empty();
        }
        boolean zipped =
                answer.headers().getOrDefault("Content-Encoding", List.of()).stream()
                        .anyMatch("gzip"::equalsIgnoreCase);
        if (!zipped) {
            return AnswerDocument.revision(ResponseDocument.JSON, body, false);
        }
        try (InputStream document = new GZIPInputStream(CloseShieldInputStream.wrap(body))) {
            return AnswerDocument.revision(ResponseDocument.JSON, document, false);
        }
    }

    private void send(ProxiedResponse response, Mirror mirror, Exchange exchange)
            throws IOException {
        exchange.note().passed();
        PassedResponse answer = response.answer();
        HttpServletResponse client = exchange.response();
        ResponseSink.describe(
                answer.code(), ForwardedHeaders.ofResponse(answer.headers()), STATE, client);
        client.setHeader(StalenessPolicy.AGE, "0");
        byte[] beginning = response.beginning().bytes();
        if (response.isWhole()) {
            response.revision().ifPresent(revision -> show(revision, mirror, client));
            client.setContentLength(beginning.length);
            client.getOutputStream().write(beginning);
            return;
        }
        try {
            InputStream body =
                    new TeeInputStream(
                            new SequenceInputStream(
                                    new ByteArrayInputStream(beginning), answer.body()),
                            client.getOutputStream());
            revision(answer, body).ifPresent(revision -> show(revision, mirror, client));
            body.transferTo(OutputStream.nullOutputStream());
        } catch (IOException broken) {
            exchange.abort();
            throw broken;
        }
    }

    /** A list begins with its revision, which is read before the head of the response is sent. */
    private void show(Revision revision, Mirror mirror, HttpServletResponse client) {
        floors.raise(mirror::equals, revision);
        if (!client.isCommitted()) {
            client.setHeader(StalenessPolicy.REVISION, revision.digits());
        }
    }

    /** Returns the Status that is sent to the client when the server did not respond. */
    static Status status(Failure failure) {
        return failure instanceof Failure.Refused(Status status, var _) && status.code() >= 400
                ? status
                : StatusErrors.unavailable(failure.summary());
    }

    /**
     * A response of the API server: a whole one for any number of clients, or one that is too large
     * to be kept, for one client.
     *
     * @param answer the head, and what has not arrived yet
     * @param beginning the body, or its beginning
     * @param revision the revision in a whole body, empty if it has none
     * @param shares the number of those that use it, at least one
     */
    private record ProxiedResponse(
            PassedResponse answer,
            ResponseDocument beginning,
            Optional<Revision> revision,
            AtomicInteger shares)
            implements AutoCloseable {

        boolean isWhole() {
            return beginning.isComplete();
        }

        /** Gives up a share. The last one returns the memory. */
        void release() {
            if (shares.decrementAndGet() == 0) {
                beginning.close();
            }
        }

        /** Gives up the share of the one that may read on. */
        @Override
        public void close() {
            answer.close();
            release();
        }
    }
}
