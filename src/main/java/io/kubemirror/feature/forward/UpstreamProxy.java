package io.kubemirror.feature.forward;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.ResponseWriter;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.MirroredResource;
import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.api.read.SingleFlight;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ForwardApi;
import io.kubemirror.source.ForwardApi.ForwardResponse;
import io.kubemirror.source.ForwardRequest;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;

import jakarta.servlet.http.HttpServletResponse;

import org.apache.commons.io.input.CloseShieldInputStream;
import org.apache.commons.io.input.TeeInputStream;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPInputStream;

/**
 * Forwards gets and lists to the API server, with the credentials of kubemirror
 * (list-watch.md#fr-2).
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

    /** The size of each read from a response, in bytes. */
    private static final int PIECE = 64 * 1024;

    private static final Failure NO_SERVER = new Failure.Malformed("no API server is configured");

    private final Source api;
    private final AnsweredWrites served;
    private final MemoryBudget budget;
    private final SingleFlight<ForwardRequest, ProxiedResponse> flight;

    /**
     * Creates a proxy.
     *
     * @param served records every revision that is served
     * @param threads runs each task immediately, on its own thread
     * @param budget the budget for responses that are kept in memory
     */
    public UpstreamProxy(Source api, AnsweredWrites served, Executor threads, MemoryBudget budget) {
        this.budget = budget;
        this.api = api;
        this.served = served;
        this.flight = new SingleFlight<>(MAX_CONCURRENT, threads);
    }

    /**
     * Forwards a list.
     *
     * @param policy the policy of the mirror in whose place the API server answers, which shows
     *     whole objects
     * @throws Rejection if the server does not respond, or it may ignore what selects or sorts the
     *     list (list-watch.md#sh-8, #or-10)
     * @throws IOException if the client or the server has disconnected
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    void answer(ReadPolicy.Whole policy, CollectionRequest wanted, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        if (wanted.isForMirrorOnly()) {
            throw new Rejection(Reply.OVERDUE);
        }
        Mirror mirror = wanted.mirror();
        String namespace = wanted.selection().namespace();
        if (!wanted.isExact() && !isReached(wanted.type(), namespace, mirror, exchange)) {
            return;
        }
        Map<String, String> parameters = parameters(exchange.query(), wanted.isExact());
        if (wanted.options().state().revision().equals("0")) {
            // With revision 0 the limit is ignored (list-watch.md#li-4), but the forwarded request
            // for the most recent state would apply it.
            parameters.remove("limit");
        }
        answer(wanted.type(), namespace, "", parameters, mirror, exchange);
    }

    /**
     * Forwards a get.
     *
     * @param policy the policy of the mirror in whose place the API server answers, which shows
     *     whole objects
     * @param resource the resource in the path
     * @param mirror the mirror that covers the object
     * @throws Rejection if the server does not respond
     * @throws IOException if the client or the server has disconnected
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    void answer(
            ReadPolicy.Whole policy,
            MirroredResource resource,
            RequestPath.Item item,
            Mirror mirror,
            Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        if (!isReached(resource.type(), item.namespace(), mirror, exchange)) {
            return;
        }
        Map<String, String> parameters = parameters(exchange.query(), false);
        answer(resource.type(), item.namespace(), item.name(), parameters, mirror, exchange);
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
        Revision known = Revision.later(mirror.revision(), served.floor(mirror));
        Revision named = ListOptions.revision(query.text("resourceVersion"), mirror.revision());
        if (!query.text("continue").isEmpty() || !named.isAfter(known)) {
            return true;
        }
        Map<String, String> parameters =
                Map.of(
                        "resourceVersion", named.digits(),
                        "resourceVersionMatch", "NotOlderThan",
                        "limit", "1");
        ForwardRequest request =
                new ForwardRequest(type, namespace, "", parameters, "application/json", false);
        ProxiedResponse proxiedResponse = fetch(request, exchange);
        try {
            boolean failed =
                    switch (proxiedResponse) {
                        case ProxiedResponse.Whole whole -> whole.reply().code() != 200;
                        case ProxiedResponse.Part part -> part.answer().code() != 200;
                        case ProxiedResponse.Failed _ -> true;
                    };
            if (failed) {
                send(proxiedResponse, mirror, exchange);
            } else if (proxiedResponse instanceof ProxiedResponse.Part part) {
                close(part.answer());
            }
            return !failed;
        } finally {
            proxiedResponse.release();
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
        return parameters;
    }

    private void answer(
            ResourceType type,
            String namespace,
            String name,
            Map<String, String> parameters,
            Mirror mirror,
            Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        ForwardRequest request =
                new ForwardRequest(
                        type,
                        namespace,
                        name,
                        parameters,
                        exchange.parsed().accept().json(),
                        ResponseWriter.takesGzip(exchange.request()));
        ProxiedResponse proxiedResponse = fetch(request, exchange);
        try {
            send(proxiedResponse, mirror, exchange);
        } finally {
            proxiedResponse.release();
        }
    }

    private ProxiedResponse fetch(ForwardRequest request, Exchange exchange)
            throws Rejection, InterruptedException {
        SingleFlight.Share<ProxiedResponse> share =
                flight.joinCounted(request, shares -> fetch(request, shares))
                        .orElseThrow(() -> new Rejection(StatusErrors.tooManyProxied()));
        ProxiedResponse proxiedResponse = await(share, exchange.allotted());
        if (proxiedResponse instanceof ProxiedResponse.Part && !share.first()) {
            proxiedResponse.release();
            return fetch(request, 1);
        }
        return proxiedResponse;
    }

    private void send(ProxiedResponse proxiedResponse, Mirror mirror, Exchange exchange)
            throws Rejection, IOException {
        exchange.note().passed();
        switch (proxiedResponse) {
            case ProxiedResponse.Whole whole -> {
                whole.revision().ifPresent(revision -> served.raise(mirror, revision));
                whole.reply().send(exchange.response());
            }
            case ProxiedResponse.Part part -> pass(part, mirror, exchange);
            case ProxiedResponse.Failed failed -> throw new Rejection(status(failed.failure()));
        }
    }

    private static ProxiedResponse await(
            SingleFlight.Share<ProxiedResponse> share, Duration allotted)
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
    private static void abandon(SingleFlight.Share<ProxiedResponse> share) {
        var _ =
                share.result()
                        .thenAccept(
                                proxiedResponse -> {
                                    proxiedResponse.release();
                                    if (share.first()
                                            && proxiedResponse
                                                    instanceof ProxiedResponse.Part part) {
                                        close(part.answer());
                                    }
                                });
    }

    private ProxiedResponse fetch(ForwardRequest request, int shares) {
        ForwardApi server = api.as(ForwardApi.class).orElse(null);
        if (server == null) {
            return new ProxiedResponse.Failed(NO_SERVER);
        }
        return switch (server.forward(request)) {
            case Result.Success(var answer) -> fetch(answer, shares);
            case Result.Failed(var failure) -> new ProxiedResponse.Failed(failure);
        };
    }

    /** Reads a response until its end, the maximum shared size, or the end of the memory. */
    private ProxiedResponse fetch(ForwardResponse answer, int shares) {
        List<byte[]> pieces = new ArrayList<>();
        int size = 0;
        long acquired = 0;
        try {
            // When the pieces are joined, each exists twice for a moment.
            int largest = shares == 1 ? MAX_SINGLE : MAX_SHARED;
            while (size < largest && budget.tryAcquire(2 * PIECE)) {
                acquired += 2 * PIECE;
                byte[] piece = answer.body().readNBytes(PIECE);
                pieces.add(piece);
                size += piece.length;
                if (piece.length < PIECE) {
                    answer.close();
                    byte[] body = joined(pieces, size);
                    Optional<Revision> revision = revision(answer, body);
                    budget.release(acquired - size);
                    return whole(
                            new Reply(answer.code(), answer.contentType(), answer.headers(), body),
                            revision,
                            new ProxiedResponse.Lease(budget, size, new AtomicInteger(shares)));
                }
            }
            return new ProxiedResponse.Part(
                    answer,
                    new SequenceInputStream(
                            new ByteArrayInputStream(joined(pieces, size)), answer.body()),
                    new ProxiedResponse.Lease(budget, acquired, new AtomicInteger(shares)));
        } catch (IOException broken) {
            budget.release(acquired);
            close(answer);
            return new ProxiedResponse.Failed(
                    new Failure.Unreachable("the response is incomplete", false));
        }
    }

    private static byte[] joined(List<byte[]> pieces, int size) {
        ByteBuffer joined = ByteBuffer.allocate(size);
        pieces.forEach(joined::put);
        return joined.array();
    }

    /** Closes a response without reading the rest of it. */
    private static void close(ForwardResponse answer) {
        try {
            answer.close();
        } catch (IOException gone) {
            // The response is not needed anymore.
        }
    }

    private static ProxiedResponse whole(
            Reply reply, Optional<Revision> revision, ProxiedResponse.Lease lease) {
        Reply described =
                revision.map(at -> reply.with(StalenessPolicy.REVISION, at.digits())).orElse(reply);
        return new ProxiedResponse.Whole(
                described.with(StalenessPolicy.STATE, "proxied").with(StalenessPolicy.AGE, "0"),
                revision,
                lease);
    }

    private static Optional<Revision> revision(ForwardResponse answer, byte[] body)
            throws IOException {
        return answer.code() == 200
                ? revision(answer.headers(), new ByteArrayInputStream(body))
                : Optional.empty();
    }

    /** Reads the revision in a body. The client gets the body encoded as the server has sent it. */
    private static Optional<Revision> revision(Map<String, String> headers, InputStream body)
            throws IOException {
        if (!"gzip".equalsIgnoreCase(headers.get("Content-Encoding"))) {
            return WrittenObject.revision(body);
        }
        try (InputStream document = new GZIPInputStream(CloseShieldInputStream.wrap(body))) {
            return WrittenObject.revision(document);
        }
    }

    private void pass(ProxiedResponse.Part part, Mirror mirror, Exchange exchange)
            throws IOException {
        ForwardResponse answer = part.answer();
        try (answer) {
            exchange.response().setStatus(answer.code());
            exchange.response().setContentType(answer.contentType());
            answer.headers().forEach(exchange.response()::setHeader);
            exchange.response().setHeader(StalenessPolicy.STATE, "proxied");
            exchange.response().setHeader(StalenessPolicy.AGE, "0");
            InputStream body =
                    new TeeInputStream(part.body(), exchange.response().getOutputStream());
            revision(answer.headers(), body)
                    .ifPresent(
                            revision -> {
                                served.raise(mirror, revision);
                                describe(exchange.response(), revision);
                            });
            body.transferTo(OutputStream.nullOutputStream());
        } catch (IOException broken) {
            exchange.abort();
            throw broken;
        }
    }

    /** A list begins with its revision, which is read before the head of the response is sent. */
    private static void describe(HttpServletResponse response, Revision revision) {
        if (!response.isCommitted()) {
            response.setHeader(StalenessPolicy.REVISION, revision.digits());
        }
    }

    /** Returns the Status that is sent to the client when the server did not respond. */
    static Status status(Failure failure) {
        return failure instanceof Failure.Refused(Status status, var _) && status.code() >= 400
                ? status
                : StatusErrors.unavailable(failure.summary());
    }

    /** The response of the API server to a proxied read. */
    private sealed interface ProxiedResponse {

        /** Releases one share of the response. Each sharer calls this method once. */
        default void release() {
            switch (this) {
                case Whole whole -> whole.lease.release();
                case Part part -> part.lease.release();
                case Failed _ -> {}
            }
        }

        /**
         * Acquired memory, which is released when the last sharer has released its share.
         *
         * @param bytes the size of the memory
         * @param shares the number of sharers, at least one
         */
        record Lease(MemoryBudget budget, long bytes, AtomicInteger shares) {

            private void release() {
                if (shares.decrementAndGet() == 0) {
                    budget.release(bytes);
                }
            }
        }

        /**
         * A complete response, for any number of clients.
         *
         * @param reply the response
         * @param revision the revision of the object or the list in it, empty if there is none
         * @param lease the memory of the response
         */
        record Whole(Reply reply, Optional<Revision> revision, Lease lease)
                implements ProxiedResponse {}

        /**
         * The beginning of a response that is too large to be kept, for one client.
         *
         * @param answer the head of the response
         * @param body the complete body, most of which has not arrived yet
         * @param lease the memory of the beginning
         */
        record Part(ForwardResponse answer, InputStream body, Lease lease)
                implements ProxiedResponse {}

        /**
         * The server did not respond.
         *
         * @param failure the cause
         */
        record Failed(Failure failure) implements ProxiedResponse {}
    }
}
