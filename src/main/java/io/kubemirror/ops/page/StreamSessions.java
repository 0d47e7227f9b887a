package io.kubemirror.ops.page;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/**
 * Those who look at the page, each on a virtual thread of its own, and few at a time: the page is
 * for people.
 */
final class StreamSessions implements ApplicationListener<ContextClosedEvent> {

    /** Two for each open page. */
    private static final int MOST = 32;

    private final Set<Thread> watching = ConcurrentHashMap.newKeySet();
    private final Semaphore room = new Semaphore(MOST);

    /** Something to be shown until the viewer leaves. */
    @FunctionalInterface
    interface PageStream {

        /**
         * Shows it.
         *
         * @throws IOException if the viewer has left
         * @throws InterruptedException if the process ends
         */
        void run(EventStream stream) throws IOException, InterruptedException;
    }

    /** Shows something to whoever sends a request, unless there are too many. */
    void show(HttpServletRequest request, HttpServletResponse response, PageStream show)
            throws IOException {
        // In one step with the look whether there is room, or all that come at once would find it.
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
    }

    private void show(AsyncContext async, PageStream show) {
        try {
            show.run(new EventStream(async.getResponse().getOutputStream()));
        } catch (IOException | InterruptedException left) {
            // That is how it ends.
        } finally {
            watching.remove(Thread.currentThread());
            room.release();
            async.complete();
        }
    }

    /** How many there are. */
    int count() {
        return watching.size();
    }

    /** Or the server would wait for them to leave. */
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        watching.forEach(Thread::interrupt);
    }

    /** Server-sent events whose data are JSON. */
    static final class EventStream {

        private final OutputStream out;

        EventStream(OutputStream out) {
            this.out = out;
        }

        /**
         * Sends an event, and returns when it is on its way.
         *
         * @throws IOException if nobody is there to take it
         */
        void send(String event, Object data) throws IOException {
            sendRaw(event, json(data));
        }

        /** The same with data that are JSON already, on one line. */
        void sendRaw(String event, String json) throws IOException {
            String text = "event: " + event + "\ndata: " + json + "\n\n";
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        }

        /** Data as JSON on one line. */
        static String json(Object data) {
            return JsonMapper.shared().writeValueAsString(data);
        }
    }
}
