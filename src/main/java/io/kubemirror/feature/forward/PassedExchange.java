package io.kubemirror.feature.forward;

import static io.kubemirror.feature.forward.AnswerTracker.MAX_LENGTH;

import static org.eclipse.jetty.http.HttpVersion.HTTP_1_1;

import module java.base;

import io.kubemirror.api.http.DisconnectListener;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestCredentials;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.feature.forward.PassThrough.Services;
import io.kubemirror.kube.PassThroughClient.CredentialOwner;
import io.kubemirror.kube.PassThroughClient.PassedRequest;
import io.kubemirror.kube.PassThroughClient.PassedResponse;
import io.kubemirror.model.Revision;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.Result;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.util.Blocker;
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

    private static final Set<String> SAFE = Set.of("GET", "HEAD");

    private static final byte[] LINE_BREAK = {'\r', '\n'};

    /** The size of a buffer, in bytes. */
    private static final int BUFFER = 16 * 1024;

    /** How the client learns that the API server has answered. */
    enum Answerer {
        /** Instead of kubemirror, which does not answer such requests. */
        PASSED,
        /** Instead of a mirror that is not up to date. */
        PROXIED
    }

    private final Exchange exchange;
    private final HttpServletRequest request;
    private final Services services;
    private final Answerer answerer;
    private final boolean streaming;

    /** How long both sides may be silent. */
    private final Duration silence;

    private final AnswerTracker tracker;
    private final ExchangeThread thread = new ExchangeThread(Thread.currentThread()::interrupt);

    /** Whether kubemirror ends the request, and not its client. */
    private volatile boolean ended;

    /** Confined to the thread. */
    private Optional<DisconnectListener> disconnectListener = Optional.empty();

    /**
     * Creates an exchange for the calling thread.
     *
     * @param streaming whether the request may take any time
     */
    PassedExchange(Exchange exchange, Services services, Answerer answerer, boolean streaming) {
        this.exchange = exchange;
        this.request = exchange.request();
        this.services = services;
        this.answerer = answerer;
        this.streaming = streaming;
        this.silence = streaming ? PassThrough.STREAMING : services.silence();
        this.tracker =
                new AnswerTracker(
                        services.floors(),
                        services.sources()::isDiscovered,
                        request.getMethod(),
                        exchange.parsed().requestPath());
    }

    /**
     * Passes the request on and sends the response.
     *
     * @param credentials those that the server gets
     * @param target path and query for the server
     * @param headers the headers for the server, to which some are added
     */
    void run(CredentialOwner credentials, String target, Map<String, List<String>> headers)
            throws Rejection, IOException {
        long idleTimeout = Exchange.endPoint(request).getIdleTimeout();
        LongConsumer idle = exchange.idleTimeout();
        Runnable end =
                () -> {
                    ended = true;
                    thread.end();
                };
        if (streaming) {
            register(end, credentials);
        }
        try {
            send(credentials, target, headers);
        } finally {
            services.open().remove(end);
            disconnectListener.ifPresent(DisconnectListener::stop);
            idle.accept(idleTimeout);
            thread.over();
        }
    }

    /** Registers what may take any time. */
    private void register(Runnable end, CredentialOwner credentials) {
        boolean own = credentials == CredentialOwner.KUBEMIRROR;
        services.open().register(end, RequestCredentials.of(request).filter(_ -> own));
    }

    private void send(CredentialOwner credentials, String target, Map<String, List<String>> headers)
            throws Rejection, IOException {
        String upgrade = upgrade();
        exchange.minRevision();
        boolean body = !SAFE.contains(request.getMethod());
        ClientContent content =
                body ? ClientContent.of(request, this::listen, services.nanos()) : null;
        if (content == null) {
            listenWithoutContent();
        }
        if (!streaming && tracker.isTracked()) {
            // Clients in Go prefer protobuf, and accept anything.
            exchange.parsed()
                    .accept()
                    .asJson()
                    .ifPresent(json -> headers.put("Accept", List.of(json)));
        }
        if (body) {
            // The answer is read on the way.
            headers.put("Accept-Encoding", List.of("identity"));
        }
        PassedRequest passed =
                new PassedRequest(
                        credentials,
                        request.getMethod(),
                        target,
                        headers,
                        content,
                        upgrade,
                        silence);
        switch (pass(passed)) {
            case Result.Success(var response) -> answer(response, credentials);
            case Result.Failed(var failure) -> throw refusal(failure, content);
        }
    }

    /** Drops the body of a request that is sent on without one. */
    private void listenWithoutContent() throws Rejection {
        if (core().consumeAvailable()) {
            listen();
        } else if (streaming) {
            // Its disconnect would not be detected for hours.
            throw new Rejection(Reply.BAD_REQUEST.with("Connection", "close"));
        }
    }

    /**
     * Listens for the disconnect of the client, when nothing more is expected from it. Jetty asks
     * only once whether a stream of HTTP/2 may be idle, so that it must not ask before the time of
     * the server is over.
     */
    private void listen() {
        long usual = Exchange.endPoint(request).getIdleTimeout();
        exchange.idleTimeout().accept(Math.max(silence.toMillis(), usual));
        disconnectListener = DisconnectListener.register(request, thread::end);
    }

    private Result<PassedResponse> pass(PassedRequest passed) throws Rejection {
        try {
            return services.api().getObject().pass(passed);
        } catch (IllegalArgumentException ambiguous) {
            throw new Rejection(Reply.BAD_REQUEST);
        }
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
        boolean known = protocol != null && PROTOCOLS.contains(protocol.toLowerCase(Locale.ROOT));
        return asked && known && request.getProtocol().equals("HTTP/1.1") ? protocol : null;
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
        return new Rejection(PassThrough.error(failure));
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

    private void answer(PassedResponse response, CredentialOwner credentials)
            throws Rejection, IOException {
        OutputStream upload = response.upload();
        if (upload != null) {
            ClientTunnel.open(
                    exchange, services, response, upload, end -> register(end, credentials));
            return;
        }
        try (response) {
            if (answerer == Answerer.PROXIED && response.code() / 100 == 3) {
                throw new Rejection(PassThrough.badGateway("it redirects"));
            }
            boolean empty =
                    request.getMethod().equals("HEAD")
                            || response.code() == 204
                            || response.code() == 304;
            boolean tracked = !streaming && tracker.isTracked();
            boolean read = tracked || (!streaming && tracker.isWrite());
            byte @Nullable [] beginning = read && !empty ? beginning(response) : null;
            Optional<Revision> seen = tracked ? record(response, beginning) : Optional.empty();
            describe(response, seen);
            answer(response, empty, beginning);
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
            throw new Rejection(PassThrough.badGateway("the response is incomplete"));
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

    static String first(PassedResponse response, String name) {
        return response.headers().getOrDefault(name, List.of("")).getFirst();
    }

    /** Sets the status and the headers for the client. */
    private void describe(PassedResponse response, Optional<Revision> seen) {
        HttpServletResponse client = exchange.response();
        client.setStatus(response.code());
        ForwardedHeaders.ofResponse(response.headers())
                .forEach(
                        (name, values) -> {
                            client.setHeader(name, values.getFirst());
                            values.stream().skip(1).forEach(one -> client.addHeader(name, one));
                        });
        client.setHeader(StalenessPolicy.STATE, answerer.name().toLowerCase(Locale.ROOT));
        switch (answerer) {
            case PASSED -> {
                seen.ifPresent(at -> client.setHeader(Exchange.MIN_REVISION, at.digits()));
                // Otherwise a page of a pod that the API server relays could use this API as its
                // own.
                client.setHeader("Content-Security-Policy", "sandbox");
            }
            case PROXIED -> {
                client.setHeader(StalenessPolicy.AGE, "0");
                seen.ifPresent(at -> client.setHeader(StalenessPolicy.REVISION, at.digits()));
            }
        }
    }

    /**
     * Sends the body.
     *
     * @param beginning what has been read of it, null for nothing
     */
    private void answer(PassedResponse response, boolean empty, byte @Nullable [] beginning)
            throws IOException {
        try {
            HttpServletResponse client = exchange.response();
            thread.writing(true);
            abortIfStalled();
            if (beginning != null && beginning.length < MAX_LENGTH) {
                client.setContentLength(beginning.length);
                // Jetty sends the head together with the last of the body.
                client.getOutputStream().write(beginning);
                client.flushBuffer();
                thread.sent();
                return;
            }
            String length = first(response, "Content-Length");
            long whole = length.matches("\\d{1,18}") ? Long.parseLong(length) : -1;
            boolean chunked =
                    !empty
                            && whole < 0
                            && core().getConnectionMetaData().getHttpVersion() == HTTP_1_1;
            if (chunked) {
                // Also set if the client asks for the connection to be closed after the response.
                client.setHeader("Transfer-Encoding", "chunked");
            } else if (whole >= 0) {
                client.setContentLengthLong(whole);
            }
            client.flushBuffer();
            thread.writing(false);
            if (streaming) {
                exchange.note().answered(response.code());
            }
            InputStream body =
                    beginning == null
                            ? response.body()
                            : new SequenceInputStream(
                                    new ByteArrayInputStream(beginning), response.body());
            copy(body, chunked, empty ? 0 : whole);
        } catch (IOException broken) {
            exchange.abort();
            throw broken;
        }
    }

    private ServletContextRequest core() {
        return ServletContextRequest.getServletContextRequest(request);
    }

    /** Handles Jetty's idle timeout. A response that waits for the server continues. */
    private void abortIfStalled() {
        core().addIdleTimeoutListener(
                        _ -> {
                            if (thread.isWriting()) {
                                exchange.abort();
                            }
                            return false;
                        });
    }

    /**
     * Copies a body as it arrives. A watch that this process ends, on shutdown or because it is no
     * longer permitted, ends cleanly if it is between two events. A client that has all of the body
     * may disconnect.
     *
     * @param length the length of the body, -1 if it is not known
     */
    private void copy(InputStream body, boolean chunked, long length) throws IOException {
        byte[] buffer = new byte[BUFFER];
        int last = 0;
        long left = length;
        try {
            int count = left == 0 ? -1 : body.read(buffer);
            while (count >= 0) {
                thread.writing(true);
                write(buffer, count, chunked, body.available() > 0);
                last = count == 0 ? last : buffer[count - 1];
                left -= count;
                if (left == 0) {
                    thread.sent();
                    return;
                }
                thread.writing(false);
                count = body.read(buffer);
            }
        } catch (IOException broken) {
            if (last != '\n' || !ended) {
                throw broken;
            }
        }
    }

    /**
     * Sends a part of the body, and blocks until the socket has accepted it. Chunks of HTTP/1.1 are
     * written past Jetty, each of them complete with its last byte, as those of watches are: Jetty
     * would end a chunk only when the next one begins. An empty chunk would be the last one.
     *
     * @param more whether more is about to follow, so that this part need not be sent immediately
     */
    private void write(byte[] bytes, int count, boolean chunked, boolean more) throws IOException {
        if (!chunked) {
            OutputStream output = exchange.response().getOutputStream();
            output.write(bytes, 0, count);
            if (!more) {
                output.flush();
            }
        } else if (count > 0) {
            byte[] size = (Integer.toHexString(count) + "\r\n").getBytes(StandardCharsets.US_ASCII);
            try (Blocker.Callback written = Blocker.callback()) {
                Exchange.endPoint(request)
                        .write(
                                written,
                                ByteBuffer.wrap(size),
                                ByteBuffer.wrap(bytes, 0, count),
                                ByteBuffer.wrap(LINE_BREAK));
                written.block();
            }
        }
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

        /** The client has the whole answer, and its disconnect means nothing any more. */
        synchronized void sent() {
            writing = false;
            over();
        }

        /** Called by the thread of the request, which is not interrupted any more. */
        synchronized void over() {
            over = true;
            Thread.interrupted();
        }
    }
}
