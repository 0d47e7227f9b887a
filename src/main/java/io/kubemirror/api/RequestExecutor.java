package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestMeters.RequestObservation;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.model.MemoryBudget;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletResponse;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests, each on the virtual thread that Jetty started for it, where it may wait for a
 * revision or for a client that reads a list slowly. A watch leaves that thread as soon as it is
 * open.
 */
public final class RequestExecutor {

    /** Answers a request that may wait. */
    @FunctionalInterface
    interface Answer {

        /**
         * Blocks until the response has been sent, except for a watch or a change of the protocol.
         *
         * @return the connection with the rest of the response, to be started, if there is one
         * @throws Rejection if the request is refused
         * @throws IOException if the client or the server has disconnected
         * @throws InterruptedException if the thread is interrupted while it waits
         */
        Optional<WatchConnection> to(Exchange exchange)
                throws Rejection, IOException, InterruptedException;
    }

    private static final Logger log = LoggerFactory.getLogger(RequestExecutor.class);

    private final Executor threads;
    private final RequestTracker open;
    private final ClientMemory memory;
    private final Counter refused;

    /**
     * Creates an instance.
     *
     * @param threads completes each watch, on a thread of its own
     * @param open tracks the requests in progress
     * @param memory the budget that a request is charged to until it is answered
     * @param registry counts the requests for which there is no memory
     */
    public RequestExecutor(
            Executor threads, RequestTracker open, ClientMemory memory, MeterRegistry registry) {
        this.threads = threads;
        this.open = open;
        this.memory = memory;
        this.refused =
                Counter.builder("kubemirror.requests.refused")
                        .description("Requests refused because the memory for clients is used up")
                        .register(registry);
    }

    /** Returns the budgets that requests and responses are charged to. */
    ClientMemory memory() {
        return memory;
    }

    /**
     * Answers a request, unless the process is shutting down.
     *
     * @param charge the memory of the request until it is answered, in bytes
     * @throws IOException if the client has disconnected
     */
    void run(Exchange exchange, int charge, Answer answer) throws IOException {
        if (!open.begin()) {
            RequestTracker.shuttingDown().toSender(exchange.parsed()).send(exchange.response());
            return;
        }
        Runnable answered;
        try {
            answered = exchange.isWatch() ? beginWatch(exchange) : end(exchange, () -> {});
        } catch (RuntimeException ended) {
            open.end();
            throw ended;
        }
        Optional<WatchConnection> watch = Optional.empty();
        try {
            watch = answer(answer, charge, exchange);
        } finally {
            // The request of a watch is completed on another thread, so that the container's work
            // does not delay other watches.
            watch.ifPresentOrElse(session -> session.start(() -> complete(answered)), answered);
        }
    }

    /** Begins an asynchronous response, and returns what completes it. */
    private Runnable beginWatch(Exchange exchange) {
        AsyncContext async = exchange.request().startAsync();
        // The container must not end an idle watch (list-watch.md#tr-4).
        async.setTimeout(0);
        return end(exchange, async::complete);
    }

    /**
     * Returns what ends a request. A watch keeps it for as long as it lasts, so that refers to no
     * more than it needs.
     */
    private Runnable end(Exchange exchange, Runnable complete) {
        RequestObservation note = exchange.note();
        HttpServletResponse response = exchange.response();
        return () -> {
            try {
                end(note, response, complete);
            } finally {
                open.end();
            }
        };
    }

    /** Completes the request of a watch, here if no other thread can. */
    private void complete(Runnable answered) {
        try {
            threads.execute(answered);
        } catch (RuntimeException | Error unstarted) {
            log.error("Cannot start a thread", unstarted);
            answered.run();
        }
    }

    /**
     * Answers a request with the memory that it takes until it is answered.
     *
     * @param bytes the memory beyond what the request has been charged with
     * @throws Rejection if the memory for requests in progress is exhausted
     */
    Optional<WatchConnection> charge(Exchange exchange, int bytes, Answer answer)
            throws Rejection, IOException, InterruptedException {
        MemoryBudget charged = acquire(exchange, bytes);
        try {
            return answer.to(exchange);
        } finally {
            charged.release(bytes);
        }
    }

    /**
     * Returns the budget from which a charge was acquired. Lists, which clients may read slowly,
     * leave something for small answers.
     */
    private MemoryBudget acquire(Exchange exchange, int bytes) throws Rejection {
        if (memory.responses().tryAcquire(bytes)) {
            return memory.responses();
        }
        boolean small =
                bytes <= ClientMemory.RESPONSE
                        && !(exchange.parsed().requestPath() instanceof RequestPath.Collection);
        if (small && memory.all().tryAcquire(bytes)) {
            return memory.all();
        }
        refused.increment();
        throw new Rejection(StatusErrors.outOfMemory());
    }

    private static void end(
            RequestObservation note, HttpServletResponse response, Runnable complete) {
        try {
            note.answered(response.getStatus());
            complete.run();
        } catch (RuntimeException ended) {
            if (!(ended instanceof IllegalStateException) && !Exchange.isOver(response)) {
                throw ended;
            }
            log.debug("Jetty has already ended the request: {}", ended.toString());
        }
    }

    private Optional<WatchConnection> answer(Answer answer, int charge, Exchange exchange) {
        try {
            try {
                return charge(exchange, charge, answer);
            } catch (Rejection rejection) {
                rejection.reply().toSender(exchange.parsed()).send(exchange.response());
            }
        } catch (IOException gone) {
            exchange.note().answered(RequestObservation.ABANDONED);
            // Otherwise a client that can still read would take the end for an empty success.
            exchange.abort();
            log.debug("A client disconnected: {}", gone.toString());
        } catch (InterruptedException stopped) {
            exchange.abort();
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error bug) {
            fail(exchange.response(), bug);
        }
        return Optional.empty();
    }

    private static void fail(HttpServletResponse response, Throwable bug) {
        if (Exchange.isOver(response)) {
            log.debug("Jetty has already ended the request: {}", bug.toString());
            return;
        }
        log.error("A request failed", bug);
        if (response.isCommitted()) {
            return;
        }
        try {
            response.resetBuffer();
            Reply.of(StatusErrors.internal("see the log of kubemirror")).send(response);
        } catch (IOException gone) {
            log.debug("A client disconnected: {}", gone.toString());
        }
    }
}
