package io.kubemirror.feature.forward;

import static io.kubemirror.feature.forward.AnswerDocument.MAX_LENGTH;

import module java.base;

import io.kubemirror.api.http.DisconnectListener;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestCredentials;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.feature.forward.PassThrough.Services;
import io.kubemirror.kube.PassThroughApi.ByteTunnel;
import io.kubemirror.kube.PassThroughApi.CredentialOwner;
import io.kubemirror.kube.PassThroughApi.PassedRequest;
import io.kubemirror.kube.PassThroughApi.PassedResponse;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.Result;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way to the API server and back.
 *
 * <p>One thread copies the body of the request, waits, and copies the body of the response. It is
 * interrupted when the client disconnects or the process shuts down, which closes the connection to
 * the server.
 */
final class PassedExchange {

    /** The protocols that connections change to; any other would carry requests past kubemirror. */
    private static final Set<String> PROTOCOLS = Set.of("websocket", "spdy/3.1");

    /** How responses say that the API server has answered. */
    static final String STATE = "passed";

    private static final Set<String> SAFE = Set.of("GET", "HEAD");

    /** How often the bytes of a changed document exist at most: parsed, and written again. */
    private static final int COPIES = 12;

    /** The size of a buffer, in bytes. */
    private static final int BUFFER = 16 * 1024;

    private final Exchange exchange;
    private final HttpServletRequest request;
    private final Services services;
    private final CredentialOwner credentials;
    private final boolean streaming;
    private final AnswerTracker tracker;
    private final ExchangeThread thread = new ExchangeThread(Thread.currentThread()::interrupt);

    /** Whether kubemirror ends the request, and not its client. */
    private volatile boolean ended;

    /**
     * Changes the answer of the API server, which is requested without compression and kept in
     * memory.
     */
    @FunctionalInterface
    interface AnswerRewriter {

        /**
         * Returns what the client gets.
         *
         * @param type the content type of the answer, empty if it has none
         * @param document the answer, null if there is no memory for it
         * @return empty for the answer as it is
         */
        Optional<Reply> of(int code, String type, byte @Nullable [] document);
    }

    // Both are confined to the thread.
    private Optional<DisconnectListener> disconnectListener = Optional.empty();
    private @Nullable AnswerRewriter rewriter;

    /**
     * Creates an exchange for the calling thread.
     *
     * @param credentials those that the server gets
     * @param streaming whether the request may take any time
     */
    PassedExchange(
            Exchange exchange, Services services, CredentialOwner credentials, boolean streaming) {
        this.exchange = exchange;
        this.request = exchange.request();
        this.services = services;
        this.credentials = credentials;
        this.streaming = streaming;
        this.tracker =
                new AnswerTracker(
                        services.floors(),
                        services.discovered(),
                        request.getMethod(),
                        exchange.parsed().requestPath());
    }

    /**
     * Passes the request on and sends the response.
     *
     * @param headers the headers for the server
     * @param change changes the answer, null to leave it as it is
     */
    void run(Map<String, List<String>> headers, @Nullable AnswerRewriter change)
            throws Rejection, IOException {
        long idleTimeout = Exchange.endPoint(request).getIdleTimeout();
        LongConsumer idle = exchange.idleTimeout();
        Runnable end =
                () -> {
                    ended = true;
                    thread.end();
                };
        if (streaming) {
            register(end);
        }
        try {
            rewriter = change;
            send(headers);
        } finally {
            services.open().remove(end);
            disconnectListener.ifPresent(DisconnectListener::stop);
            idle.accept(idleTimeout);
            thread.over();
        }
    }

    /** Registers a request that may take any time. */
    private void register(Runnable end) {
        if (credentials == CredentialOwner.KUBEMIRROR) {
            services.open().register(end, RequestCredentials.of(request));
        } else {
            services.open().register(end);
        }
    }

    private void send(Map<String, List<String>> headers) throws Rejection, IOException {
        String upgrade = upgrade();
        exchange.minRevision();
        boolean body = !SAFE.contains(request.getMethod());
        ClientContent content =
                body ? ClientContent.of(request, this::listen, services.nanos()) : null;
        if (content == null) {
            listenWithoutContent();
        }
        if (!streaming && rewriter == null && tracker.isTracked()) {
            // Clients in Go prefer protobuf, and accept anything.
            exchange.parsed()
                    .accept()
                    .asJson()
                    .ifPresent(json -> headers.put("Accept", List.of(json)));
        }
        if (body || rewriter != null) {
            // It is read on the way.
            headers.put("Accept-Encoding", List.of("identity"));
        }
        switch (pass(
                new PassedRequest(
                        credentials,
                        request.getMethod(),
                        target(request),
                        headers,
                        content,
                        upgrade,
                        streaming
                                ? services.limits().streaming()
                                : services.limits().ordinary()))) {
            case Result.Success(var response) -> answer(response);
            case Result.Failed(var failure) -> throw refusal(failure, content);
        }
    }

    /** Drops the body of a request that is sent on without one. */
    private void listenWithoutContent() throws Rejection {
        if (ServletContextRequest.getServletContextRequest(request).consumeAvailable()) {
            listen();
        } else if (streaming) {
            // Its disconnect would not be detected for hours.
            throw new Rejection(Reply.BAD_REQUEST.with("Connection", "close"));
        }
    }

    /** Listens for the disconnect of the client, when nothing more is expected from it. */
    private void listen() {
        if (streaming) {
            exchange.idleTimeout().accept(services.limits().streaming().toMillis());
        }
        disconnectListener = DisconnectListener.register(request, thread::end);
    }

    private Result<PassedResponse> pass(PassedRequest passed) throws Rejection {
        try {
            return services.api().get().pass(passed);
        } catch (IllegalArgumentException ambiguous) {
            throw new Rejection(Reply.BAD_REQUEST);
        }
    }

    /** Returns path and query as the client sent them. */
    static String target(HttpServletRequest request) {
        String query = request.getQueryString();
        return request.getRequestURI() + (query == null ? "" : "?" + query);
    }

    private @Nullable String upgrade() throws Rejection {
        String protocol = protocol(request);
        boolean content =
                request.getContentLengthLong() > 0
                        || request.getHeader("Transfer-Encoding") != null;
        if (protocol != null && content) {
            throw new Rejection(Reply.BAD_REQUEST);
        }
        return protocol;
    }

    /** Returns the protocol that the client asks for, null for none that is passed on. */
    static @Nullable String protocol(HttpServletRequest request) {
        boolean asked =
                Collections.list(request.getHeaders("Connection")).stream()
                        .flatMap(ForwardedHeaders::tokens)
                        .anyMatch("Upgrade"::equalsIgnoreCase);
        String protocol = request.getHeader("Upgrade");
        if (!asked
                || protocol == null
                || !PROTOCOLS.contains(protocol.toLowerCase(Locale.ROOT))
                || !request.getProtocol().equals("HTTP/1.1")) {
            return null;
        }
        return protocol;
    }

    /** Returns the response to a request that the server has not answered. */
    private Rejection refusal(Failure failure, @Nullable ClientContent content)
            throws Rejection, IOException {
        if (content != null) {
            requireWhole(content);
        }
        if (mayBeDone(failure)) {
            tracker.unanswered();
        }
        if (thread.isEnding()) {
            return new Rejection(RequestTracker.shuttingDown());
        }
        return new Rejection(PassThroughErrors.of(failure));
    }

    private void requireWhole(ClientContent content) throws Rejection, IOException {
        try {
            content.requireWhole();
        } catch (IOException gone) {
            exchange.abort();
            throw gone;
        }
    }

    /** Whether the server may have processed the request. */
    private static boolean mayBeDone(Failure failure) {
        return switch (failure) {
            case Failure.Refused _ -> false;
            case Unreachable broken ->
                    switch (broken.kind()) {
                        case REFUSED, UNTRUSTED -> false;
                        case BROKEN, SILENT -> true;
                    };
            case Failure.Malformed _ -> true;
        };
    }

    private void answer(PassedResponse response) throws Rejection, IOException {
        ByteTunnel tunnel = response.tunnel();
        if (tunnel != null) {
            open(tunnel, response);
            return;
        }
        try (response) {
            if (response.code() < 200) {
                throw new Rejection(
                        PassThroughErrors.badGateway("the server changes the protocol unasked"));
            }
            boolean empty =
                    request.getMethod().equals("HEAD")
                            || response.code() == 204
                            || response.code() == 304;
            boolean tracked = !streaming && tracker.isTracked();
            boolean read = tracked || (!streaming && tracker.isWrite());
            byte @Nullable [] beginning = read && !empty ? beginning(response) : null;
            Optional<Revision> revision = tracked ? record(response, beginning) : Optional.empty();
            InputStream body = body(beginning, response);
            boolean whole = beginning != null && beginning.length < MAX_LENGTH;
            if (rewriter != null) {
                rewrite(rewriter, response, body, revision);
            } else {
                describe(response, revision);
                answer(response, empty, whole ? beginning : null, body);
            }
        }
    }

    private void rewrite(
            AnswerRewriter change,
            PassedResponse response,
            InputStream body,
            Optional<Revision> revision)
            throws Rejection, IOException {
        try (ResponseDocument document =
                ResponseDocument.read(
                        body, exchange.memory().responses(), COPIES, Integer.MAX_VALUE)) {
            byte[] whole = document.isComplete() ? document.bytes() : null;
            Optional<Reply> changed =
                    change.of(response.code(), first(response, "Content-Type"), whole);
            if (changed.isEmpty() && whole == null) {
                throw new Rejection(StatusErrors.outOfMemory());
            }
            describe(response, revision);
            if (changed.isEmpty()) {
                answer(response, false, whole, body);
                return;
            }
            // They are about another document.
            List.of("ETag", "X-Content-Type-Options")
                    .forEach(name -> exchange.response().setHeader(name, null));
            changed.get().send(exchange.response());
        }
    }

    private Optional<Revision> record(PassedResponse response, byte @Nullable [] beginning) {
        byte[] known = beginning == null ? new byte[0] : beginning;
        boolean zipped = first(response, "Content-Encoding").equalsIgnoreCase("gzip");
        try (InputStream plain = new ByteArrayInputStream(known);
                InputStream document = zipped ? new GZIPInputStream(plain) : plain) {
            return tracker.answered(response.code(), first(response, "Content-Type"), document);
        } catch (IOException unreadable) {
            return tracker.answered(response.code(), "", InputStream.nullInputStream());
        }
    }

    private static InputStream body(byte @Nullable [] beginning, PassedResponse response) {
        return beginning == null
                ? response.body()
                : new SequenceInputStream(new ByteArrayInputStream(beginning), response.body());
    }

    private static String first(PassedResponse response, String name) {
        return response.headers().getOrDefault(name, List.of("")).getFirst();
    }

    /**
     * Sends the body.
     *
     * @param whole all of it, null if more may follow
     */
    private void answer(
            PassedResponse response, boolean empty, byte @Nullable [] whole, InputStream body)
            throws IOException {
        try {
            thread.writing(true);
            if (whole != null) {
                ResponseSink.send(exchange, whole, thread::isWriting);
                thread.writing(false);
                return;
            }
            String length = first(response, "Content-Length");
            ResponseSink sink =
                    ResponseSink.begin(
                            exchange,
                            length.isEmpty() ? -1 : Long.parseLong(length),
                            empty,
                            thread::isWriting);
            thread.writing(false);
            if (streaming) {
                exchange.note().answered(response.code());
            }
            copy(body, sink);
        } catch (IOException broken) {
            exchange.abort();
            throw broken;
        }
    }

    /**
     * Reads a body until its end, or as much of it as has the metadata. The answer to a write is
     * one document, and a small one is sent at once.
     */
    private byte[] beginning(PassedResponse response) throws Rejection, IOException {
        try {
            return response.body().readNBytes(MAX_LENGTH);
        } catch (IOException broken) {
            if (response.code() / 100 != 4) {
                tracker.unanswered();
            }
            if (thread.isEnding()) {
                exchange.abort();
                throw broken;
            }
            throw new Rejection(PassThroughErrors.badGateway("the response is incomplete"));
        }
    }

    /** Sets the status and the headers for the client. */
    private void describe(PassedResponse response, Optional<Revision> seen) {
        HttpServletResponse client = exchange.response();
        ResponseSink.describe(
                response.code(), ForwardedHeaders.ofResponse(response.headers()), STATE, client);
        seen.ifPresent(at -> client.setHeader(Exchange.MIN_REVISION, at.digits()));
        // Otherwise a page of a pod that the API server relays could use this API as its own.
        client.setHeader("Content-Security-Policy", "sandbox");
    }

    /**
     * Copies a body as it arrives. A watch that this process ends, on shutdown or because it is no
     * longer permitted, ends cleanly if it is between two events.
     */
    private void copy(InputStream body, ResponseSink sink) throws IOException {
        byte[] buffer = new byte[BUFFER];
        int last = 0;
        try {
            int count = body.read(buffer);
            while (count >= 0) {
                thread.writing(true);
                sink.write(buffer, count, body.available() > 0);
                last = count == 0 ? last : buffer[count - 1];
                thread.writing(false);
                count = body.read(buffer);
            }
        } catch (IOException broken) {
            if (last != '\n' || !ended) {
                throw broken;
            }
        }
    }

    /** Answers a request to change the protocol. Jetty opens the tunnel after the response. */
    private void open(ByteTunnel tunnel, PassedResponse response) throws Rejection {
        MemoryBudget memory = exchange.memory().responses();
        if (!services.open().begin()) {
            tunnel.cancel();
            throw new Rejection(RequestTracker.shuttingDown());
        }
        if (!memory.tryAcquire(PassThrough.CHARGE)) {
            services.open().end();
            tunnel.cancel();
            throw new Rejection(StatusErrors.outOfMemory());
        }
        Runnable cancel = tunnel::cancel;
        ClientTunnel opened =
                new ClientTunnel(
                        Exchange.endPoint(request),
                        tunnel,
                        services.threads(),
                        services.limits().streaming(),
                        () -> {
                            services.open().remove(cancel);
                            memory.release(PassThrough.CHARGE);
                            services.open().end();
                        });
        register(cancel);
        upgrade(opened, response);
    }

    private void upgrade(ClientTunnel opened, PassedResponse response) {
        ServletContextRequest core = ServletContextRequest.getServletContextRequest(request);
        Request.addCompletionListener(
                core,
                failure -> {
                    if (failure != null) {
                        opened.end();
                    }
                });
        Response client = core.getServletContextResponse();
        client.setStatus(response.code());
        ForwardedHeaders.ofResponse(response.headers())
                .forEach((name, values) -> client.getHeaders().put(name, values));
        client.getHeaders().put("Connection", "Upgrade");
        client.getHeaders().put("Upgrade", first(response, "Upgrade"));
        client.getHeaders().put(StalenessPolicy.STATE, STATE);
        core.setAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE, opened);
        client.write(true, null, Callback.NOOP);
    }

    /**
     * The thread of a request that is passed on. The disconnect of the client and the shutdown of
     * the process interrupt it, which closes its connection to the API server.
     *
     * <p>Thread-safe: the monitor orders an interrupt before the end of the request, or prevents
     * it.
     */
    static final class ExchangeThread {

        private final Runnable interrupt;

        /** Whether the request is to end early; guarded by this, as all fields are. */
        private boolean ending;

        private boolean writing;
        private boolean over;

        /**
         * Creates the state of a request.
         *
         * @param interrupt interrupts its thread
         */
        ExchangeThread(Runnable interrupt) {
            this.interrupt = interrupt;
        }

        /**
         * Ends the request early. A write to the client is not interrupted: it fails on its own, or
         * the request ends after it.
         */
        synchronized void end() {
            if (!over) {
                ending = true;
                if (!writing) {
                    interrupt.run();
                }
            }
        }

        /**
         * Marks the beginning or the end of a write to the client.
         *
         * @throws IOException if the request is to end
         */
        synchronized void writing(boolean now) throws IOException {
            writing = now;
            if (ending) {
                throw new IOException("the client disconnected, or the process is shutting down");
            }
        }

        /** Whether a write to the client is in progress. */
        synchronized boolean isWriting() {
            return writing;
        }

        /** Whether the request is to end early. */
        synchronized boolean isEnding() {
            return ending;
        }

        /** Called by the thread of the request, which is not interrupted any more. */
        synchronized void over() {
            over = true;
            Thread.interrupted();
        }
    }
}
