package io.kubemirror.feature.page;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;

import io.kubemirror.app.health.ProcessDescription;
import io.kubemirror.feature.page.ObjectPages.ObjectPage;
import io.kubemirror.feature.page.ObjectSearch.ObjectVersions;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Selection;
import io.kubemirror.model.SelectorException;
import io.kubemirror.model.Sleeper;
import io.micrometer.core.instrument.MeterRegistry;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.util.StringUtils;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.bind.ServletRequestUtils;

import tools.jackson.core.JacksonException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The status page on the management port: its files, a stream of the state, and a stream of events.
 * All viewers share the samples of the state. Without viewers, no samples are taken.
 */
final class StatusPage {

    private static final String STATE = "state";
    private static final Duration SAMPLE = Duration.ofSeconds(1);
    private static final Duration POLL = Duration.ofMillis(250);

    /** Number of polls without an event after which a keep-alive is sent. */
    private static final int QUIET_POLLS = 8;

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

    /** The files of the page by path. */
    private static final Map<String, String> FILES =
            Map.of(
                    "/", "page.html",
                    "/page.css", "page.css",
                    "/page.svg", "page.svg",
                    "/page.js", "page.js",
                    "/page-elements.js", "page-elements.js",
                    "/page-feed.js", "page-feed.js",
                    "/page-objects.js", "page-objects.js",
                    "/page-resources.js", "page-resources.js",
                    "/page-state.js", "page-state.js",
                    "/page-timeline.js", "page-timeline.js");

    private final ProcessDescription process;
    private final Supplier<PageProperties> properties;
    private final ObjectSearch objects;
    private final ObjectPages pages;
    private final StreamSessions sessions;
    private final Sleeper sleeper;
    private final LoadingCache<String, String> sample;

    /**
     * Creates the page.
     *
     * @param process the mirrors and the process to show
     * @param registry has the metrics to show
     * @param properties what may be shown
     * @param pages sorts the objects of a mirror
     * @param sessions serves the streams
     * @param sleeper waits between two samples
     */
    StatusPage(
            ProcessDescription process,
            MeterRegistry registry,
            Supplier<PageProperties> properties,
            ObjectPages pages,
            StreamSessions sessions,
            Sleeper sleeper) {
        this.process = process;
        this.properties = properties;
        this.objects = new ObjectSearch(process.clock(), System::nanoTime);
        this.pages = pages;
        this.sessions = sessions;
        this.sleeper = sleeper;
        // Slightly shorter than the interval, so that no sample is returned twice.
        this.sample =
                Caffeine.newBuilder()
                        .expireAfterWrite(SAMPLE.multipliedBy(9).dividedBy(10))
                        .ticker(process::nanos)
                        .build(
                                _ ->
                                        StreamSessions.EventStream.json(
                                                LiveState.of(
                                                        process,
                                                        registry,
                                                        properties.get().isAnyShown())));
    }

    /** The handlers of the page by path. */
    Map<String, HttpRequestHandler> parts() {
        Map<String, HttpRequestHandler> parts = new TreeMap<>();
        for (Map.Entry<String, String> file : FILES.entrySet()) {
            parts.put(file.getKey(), file(file.getValue()));
        }
        parts.put(
                "/page/state",
                part((request, response) -> sessions.show(request, response, this::showState)));
        parts.put("/page/feed", part(this::feed));
        parts.put("/page/objects", part(this::search));
        parts.put("/page/list", part(this::list));
        parts.put("/page/object", part(this::versions));
        parts.put("/page/difference", part(this::difference));
        return parts;
    }

    private static byte[] bytes(Resource file) {
        try {
            return file.getContentAsByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static HttpRequestHandler file(String name) {
        String type =
                switch (StringUtils.getFilenameExtension(name)) {
                    case "css" -> "text/css; charset=utf-8";
                    case "js" -> "text/javascript; charset=utf-8";
                    case "svg" -> "image/svg+xml";
                    case null, default -> "text/html; charset=utf-8";
                };
        byte[] bytes = bytes(new ClassPathResource(name, StatusPage.class));
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
        try {
            Selection selection =
                    new Selection(
                            parameter(request, "namespace"),
                            LabelSelector.parse(parameter(request, "labels")),
                            FieldSelector.everything());
            EventFeed feed =
                    new EventFeed(
                            () -> mirrors(name),
                            selection,
                            parameter(request, "name"),
                            process.clock(),
                            System::nanoTime);
            sessions.show(request, response, stream -> follow(stream, feed));
        } catch (SelectorException unreadable) {
            // Browsers hide stream errors from the page, so the error is sent as an event.
            Map<String, String> why = Map.of("message", String.valueOf(unreadable.getMessage()));
            sessions.show(request, response, stream -> stream.send("refused", why));
        }
    }

    private void follow(StreamSessions.EventStream stream, EventFeed feed)
            throws IOException, InterruptedException {
        stream.send("begun", feed.poll());
        int quiet = 0;
        while (!Thread.currentThread().isInterrupted()) {
            EventFeed.Batch batch = feed.poll();
            quiet = batch.isEmpty() ? quiet + 1 : 0;
            if (!batch.isEmpty()) {
                stream.send("changes", batch);
            } else if (quiet % QUIET_POLLS == 0) {
                stream.send("alive", Map.of());
            }
            sleeper.sleep(POLL);
        }
    }

    /** Returns the mirror of a name; without a name all but unions, whose members they are. */
    private List<Mirror> mirrors(String name) {
        return process.plain().stream()
                .filter(
                        mirror ->
                                name.isEmpty()
                                        ? mirror.members().isEmpty()
                                        : mirror.scope().toString().equals(name))
                .toList();
    }

    private void search(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        String name = parameter(request, "name");
        List<Mirror> meant = name.isEmpty() ? List.of() : mirrors(parameter(request, "mirror"));
        send(response, HttpServletResponse.SC_OK, objects.search(meant, name));
    }

    private void list(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String revision = parameter(request, "revision");
        Optional<ObjectPage> page =
                mirrors(parameter(request, "mirror")).stream()
                        .findFirst()
                        .filter(_ -> revision.matches("\\d{0,40}"))
                        .flatMap(
                                mirror ->
                                        pages.page(
                                                mirror,
                                                parameter(request, "sortBy"),
                                                revision,
                                                ServletRequestUtils.getIntParameter(
                                                        request, "from", 0)));
        if (page.isEmpty()) {
            String text = "There is no such list at present.";
            refuse(response, HttpServletResponse.SC_NOT_FOUND, text);
            return;
        }
        send(response, HttpServletResponse.SC_OK, page.get());
    }

    private void versions(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        Optional<Mirror> mirror = mirrors(parameter(request, "mirror")).stream().findFirst();
        ObjectKey key = new ObjectKey(parameter(request, "object"));
        if (mirror.isEmpty()) {
            refuse(response, HttpServletResponse.SC_NOT_FOUND, "There is no such mirror.");
            return;
        }
        boolean contents = properties.get().isShown(mirror.get());
        ObjectVersions versions = objects.versions(mirror.get(), key, contents);
        send(response, HttpServletResponse.SC_OK, versions);
    }

    /** The only part of the page that shows contents. */
    private void difference(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        List<Mirror> shown =
                mirrors(parameter(request, "mirror")).stream()
                        .filter(properties.get()::isShown)
                        .toList();
        if (shown.isEmpty()) {
            String text = "kubemirror.page.show-contents does not include this resource.";
            refuse(response, HttpServletResponse.SC_FORBIDDEN, text);
            return;
        }
        ObjectKey key = new ObjectKey(parameter(request, "object"));
        Optional<KubeObject> from =
                objects.state(shown.getFirst(), key, parameter(request, "from"));
        Optional<KubeObject> to = objects.state(shown.getFirst(), key, parameter(request, "to"));
        if (from.isEmpty() || to.isEmpty()) {
            String text = "The history does not have this revision any more.";
            refuse(response, HttpServletResponse.SC_NOT_FOUND, text);
            return;
        }
        compare(from.get(), to.get(), response);
    }

    private void compare(KubeObject from, KubeObject to, HttpServletResponse response)
            throws IOException {
        long bytes = ObjectDifference.MEMORY * ((long) from.json().length + to.json().length);
        if (!process.memory().tryAcquire(bytes)) {
            String text = "There is not enough memory to compare these revisions now.";
            refuse(response, HttpServletResponse.SC_SERVICE_UNAVAILABLE, text);
            return;
        }
        try {
            send(response, HttpServletResponse.SC_OK, ObjectDifference.between(from, to));
        } catch (JacksonException unreadable) {
            String text = "The contents are nested too deeply to be compared.";
            refuse(response, HttpServletResponse.SC_UNPROCESSABLE_CONTENT, text);
        } finally {
            process.memory().release(bytes);
        }
    }

    private static void refuse(HttpServletResponse response, int status, String message)
            throws IOException {
        send(response, status, Map.of("message", message));
    }

    private static void send(HttpServletResponse response, int status, Object body)
            throws IOException {
        response.setStatus(status);
        response.setContentType("application/json");
        byte[] json = StreamSessions.EventStream.json(body).getBytes(StandardCharsets.UTF_8);
        response.setContentLength(json.length);
        response.getOutputStream().write(json);
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
