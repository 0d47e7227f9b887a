package io.kubemirror.ops.page;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.Selection;
import io.kubemirror.model.SelectorException;
import io.kubemirror.model.Sleeper;
import io.kubemirror.ops.DiagnosisInput;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.core.io.ClassPathResource;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.bind.ServletRequestUtils;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The status page on the management port: its files, a stream of the state, and a stream of events.
 * All viewers share the samples of the state. Without viewers, no samples are taken.
 */
final class StatusPage {

    private static final String STATE = "state";
    private static final Duration SAMPLE = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofMillis(250);

    /** Number of polls without an event after which a keep-alive is sent. */
    private static final int QUIET_LOOKS = 8;

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

    private final DiagnosisInput input;
    private final StreamSessions sessions;
    private final Sleeper sleeper;
    private final LoadingCache<String, String> sample;

    /**
     * Creates the page.
     *
     * @param input the mirrors and the process to show
     * @param sessions serves the streams
     * @param sleeper waits between two samples
     */
    StatusPage(DiagnosisInput input, StreamSessions sessions, Sleeper sleeper) {
        this.input = input;
        this.sessions = sessions;
        this.sleeper = sleeper;
        // Slightly shorter than the interval, so that no sample is returned twice.
        this.sample =
                Caffeine.newBuilder()
                        .expireAfterWrite(SAMPLE.multipliedBy(9).dividedBy(10))
                        .ticker(input::nanos)
                        .build(_ -> StreamSessions.EventStream.json(LiveState.of(input)));
    }

    /** The handlers of the page by path. */
    Map<String, HttpRequestHandler> parts() throws IOException {
        Map<String, HttpRequestHandler> parts = new TreeMap<>();
        parts.put("/", file("page.html", "text/html; charset=utf-8"));
        parts.put("/page.css", file("page.css", "text/css; charset=utf-8"));
        parts.put("/page.js", file("page.js", "text/javascript; charset=utf-8"));
        parts.put("/page.svg", file("page.svg", "image/svg+xml"));
        parts.put(
                "/page/state",
                part((request, response) -> sessions.show(request, response, this::showState)));
        parts.put("/page/feed", part(this::feed));
        return parts;
    }

    private static HttpRequestHandler file(String name, String type) throws IOException {
        byte[] bytes = new ClassPathResource(name, StatusPage.class).getContentAsByteArray();
        return part(
                (_, response) -> {
                    response.setContentType(type);
                    response.setContentLength(bytes.length);
                    response.getOutputStream().write(bytes);
                });
    }

    private void showState(StreamSessions.EventStream stream)
            throws IOException, InterruptedException {
        while (!Thread.currentThread().isInterrupted()) {
            stream.sendRaw(STATE, sample.get(STATE));
            sleeper.sleep(SAMPLE);
        }
    }

    private void feed(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String name = parameter(request, "mirror");
        Supplier<List<Mirror>> meant =
                () ->
                        input.plain().stream()
                                .filter(
                                        mirror ->
                                                name.isEmpty()
                                                        ? mirror.members().isEmpty()
                                                        : mirror.scope().toString().equals(name))
                                .toList();
        try {
            Selection selection =
                    new Selection(
                            parameter(request, "namespace"),
                            LabelSelector.parse(parameter(request, "labels")),
                            FieldSelector.everything());
            EventFeed feed =
                    new EventFeed(meant, selection, parameter(request, "name"), input.clock());
            sessions.show(request, response, stream -> follow(stream, feed));
        } catch (SelectorException unreadable) {
            // Browsers hide stream errors from the page, so the error is sent as an event.
            Map<String, String> why = Map.of("message", String.valueOf(unreadable.getMessage()));
            sessions.show(request, response, stream -> stream.send("refused", why));
        }
    }

    private void follow(StreamSessions.EventStream stream, EventFeed feed)
            throws IOException, InterruptedException {
        stream.send("begun", Map.of());
        int quiet = 0;
        while (!Thread.currentThread().isInterrupted()) {
            EventFeed.Batch batch = feed.look();
            quiet = batch.isEmpty() ? quiet + 1 : 0;
            if (!batch.isEmpty()) {
                stream.send("changes", batch);
            } else if (quiet % QUIET_LOOKS == 0) {
                stream.send("alive", Map.of());
            }
            sleeper.sleep(LOOK);
        }
    }

    private static String parameter(HttpServletRequest request, String name) {
        return ServletRequestUtils.getStringParameter(request, name, "").strip();
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
}
