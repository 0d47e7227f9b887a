package io.kubemirror.feature.page;

import module java.base;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;

import io.kubemirror.app.health.ProcessDescription;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.micrometer.core.instrument.MeterRegistry;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.io.ClassPathResource;
import org.springframework.web.HttpRequestHandler;

import tools.jackson.databind.json.JsonMapper;

/**
 * The status page on the management port: its files, and a stream of server-sent events with the
 * state and the changes of all mirrors. All viewers share the samples of the state. Without
 * viewers, no samples are taken.
 */
final class StatusPage implements ApplicationListener<ContextClosedEvent> {

    private static final String SCRIPT = "text/javascript; charset=utf-8";
    private static final String STATE = "state";
    private static final Duration POLL = Duration.ofMillis(250);

    /** The number of polls for changes in the time of one sample of the state. */
    private static final int POLLS = 4;

    /** The page is for people. */
    private static final int MAX_VIEWERS = 32;

    private static final Map<String, String> HEADERS =
            Map.of(
                    "Content-Security-Policy",
                    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
                            + " connect-src 'self'; base-uri 'none'; form-action 'none';"
                            + " frame-ancestors 'none'",
                    "X-Content-Type-Options",
                    "nosniff",
                    "X-Frame-Options",
                    "DENY",
                    "Referrer-Policy",
                    "no-referrer",
                    "Cross-Origin-Opener-Policy",
                    "same-origin",
                    "Cross-Origin-Resource-Policy",
                    "same-origin",
                    "Cache-Control",
                    "no-store");

    private final ProcessDescription process;
    private final Sleeper sleeper;
    private final LoadingCache<String, String> sample;
    private final Semaphore room = new Semaphore(MAX_VIEWERS);
    private final ExecutorService viewers =
            Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("status-page").factory());

    /**
     * Creates the page.
     *
     * @param process the mirrors and the process to show
     * @param registry has the metrics to show
     * @param sleeper waits between two polls
     */
    StatusPage(ProcessDescription process, MeterRegistry registry, Sleeper sleeper) {
        this.process = process;
        this.sleeper = sleeper;
        // Slightly shorter than the interval, so that no sample is returned twice.
        this.sample =
                Caffeine.newBuilder()
                        .expireAfterWrite(POLL.multipliedBy(POLLS).minusMillis(100))
                        .ticker(process::nanos)
                        .build(_ -> json(LiveState.of(process, registry)));
    }

    /** The handlers of the page by path. */
    Map<String, HttpRequestHandler> handlers() {
        Map<String, HttpRequestHandler> handlers = new HashMap<>();
        handlers.put("/", file("page.html", "text/html; charset=utf-8"));
        handlers.put("/page.css", file("page.css", "text/css; charset=utf-8"));
        handlers.put("/page.svg", file("page.svg", "image/svg+xml"));
        handlers.put("/page.js", file("page.js", SCRIPT));
        for (String module : List.of("elements", "feed", "resources", "state", "timeline")) {
            String name = "page-" + module + ".js";
            handlers.put("/" + name, file(name, SCRIPT));
        }
        handlers.put("/page/stream", part(this::stream));
        return handlers;
    }

    /** Answers what this port does not have, for people who look for it here. */
    static void elsewhere(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        response.setStatus(404);
        response.setContentType("text/plain; charset=utf-8");
        response.getWriter()
                .println(
                        "404 page not found; the Kubernetes API is at server.port; /actuator lists"
                                + " what is here, such as /actuator/health and"
                                + " /actuator/prometheus");
    }

    private static HttpRequestHandler file(String name, String type) {
        try {
            byte[] bytes = new ClassPathResource(name, StatusPage.class).getContentAsByteArray();
            return part(
                    (_, response) -> {
                        response.setContentType(type);
                        response.setContentLength(bytes.length);
                        response.getOutputStream().write(bytes);
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns a handler for a part of the page. Its headers forbid resources from other origins,
     * framing, reading from another origin, and caching.
     *
     * @param answer creates the response
     */
    private static HttpRequestHandler part(HttpRequestHandler answer) {
        return (request, response) -> {
            HEADERS.forEach(response::setHeader);
            if (request.getMethod().equals("GET")) {
                answer.handleRequest(request, response);
            } else {
                response.setHeader("Allow", "GET");
                response.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
            }
        };
    }

    private void stream(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        if (!room.tryAcquire()) {
            response.setHeader("Retry-After", "10");
            response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
            return;
        }
        response.setContentType("text/event-stream");
        AsyncContext async = request.startAsync();
        async.setTimeout(0);
        try {
            viewers.execute(() -> show(async));
        } catch (RejectedExecutionException closed) {
            leave(async);
        }
    }

    private void leave(AsyncContext async) {
        room.release();
        async.complete();
    }

    private void show(AsyncContext async) {
        try {
            OutputStream out = async.getResponse().getOutputStream();
            EventFeed feed = new EventFeed(process::plain, process.clock(), System::nanoTime);
            for (long round = 0; !Thread.currentThread().isInterrupted(); round++) {
                if (round % POLLS == 0) {
                    send(out, STATE, sample.get(STATE));
                }
                List<EventFeed.FeedEvent> changes = feed.poll();
                if (!changes.isEmpty()) {
                    send(out, "changes", json(changes));
                }
                sleeper.sleep(POLL);
            }
        } catch (IOException | InterruptedException left) {
            // The viewer has disconnected, or the process is shutting down.
        } finally {
            leave(async);
        }
    }

    private static void send(OutputStream out, String event, String json) throws IOException {
        String text = "event: " + event + "\ndata: " + json + "\n\n";
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    private static String json(Object data) {
        return JsonMapper.shared().writeValueAsString(data);
    }

    /** Ends all streams, because the server would wait for them. */
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        viewers.shutdownNow();
    }
}
