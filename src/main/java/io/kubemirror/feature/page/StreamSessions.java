package io.kubemirror.feature.page;

import module java.base;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

import tools.jackson.databind.json.JsonMapper;

/**
 * The open streams of the status page, each on a virtual thread of its own. Their number is small,
 * because the page is for people.
 */
final class StreamSessions implements ApplicationListener<ContextClosedEvent> {

    /** Two per open page. */
    private static final int MAX = 32;

    private final Set<Thread> watching = ConcurrentHashMap.newKeySet();
    private final Semaphore room = new Semaphore(MAX);

    /**
     * Whether the process is shutting down. Written before the open streams are interrupted, and
     * read after a stream has been added to them: one of the two threads interrupts it.
     */
    private volatile boolean closed;

    /** A stream that is written until the viewer disconnects. */
    @FunctionalInterface
    interface PageStream {

        /**
         * Writes the stream.
         *
         * @throws IOException if the viewer has disconnected
         * @throws InterruptedException if the process is shutting down
         */
        void run(EventStream stream) throws IOException, InterruptedException;
    }

    /** Serves a stream, unless too many are open. */
    void show(HttpServletRequest request, HttpServletResponse response, PageStream show)
            throws IOException {
        // Checks and acquires in one step, so that concurrent requests cannot exceed the limit.
        if (!room.tryAcquire()) {
            response.setHeader("Retry-After", "10");
            response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
            return;
        }
        response.setContentType("text/event-stream");
        AsyncContext async = request.startAsync();
        async.setTimeout(0);
        Thread viewer = Thread.ofVirtual().name("status-page").unstarted(() -> show(async, show));
        watching.add(viewer);
        viewer.start();
        if (closed) {
            viewer.interrupt();
        }
    }

    private void show(AsyncContext async, PageStream show) {
        try {
            show.run(new EventStream(async.getResponse().getOutputStream()));
        } catch (IOException | InterruptedException left) {
            // The viewer has disconnected or the process is shutting down.
        } finally {
            watching.remove(Thread.currentThread());
            room.release();
            async.complete();
        }
    }

    /** Ends all streams, because the server would wait for them. */
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        closed = true;
        watching.forEach(Thread::interrupt);
    }

    /** Writes server-sent events with JSON data. */
    record EventStream(OutputStream out) {

        /**
         * Sends an event, and returns when it has been flushed.
         *
         * @throws IOException if the viewer has disconnected
         */
        void send(String event, Object data) throws IOException {
            sendRaw(event, json(data));
        }

        /** Sends an event whose data is a line of JSON. */
        void sendRaw(String event, String json) throws IOException {
            String text = "event: " + event + "\ndata: " + json + "\n\n";
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        }

        /** Encodes data as JSON on one line. */
        static String json(Object data) {
            return JsonMapper.shared().writeValueAsString(data);
        }
    }
}
