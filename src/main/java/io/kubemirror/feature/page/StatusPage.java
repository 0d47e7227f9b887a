package io.kubemirror.feature.page;

import module java.base;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;

import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.app.health.ProcessDescription;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.kubemirror.model.Selection;
import io.micrometer.core.instrument.MeterRegistry;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.core.io.ClassPathResource;
import org.springframework.http.HttpStatus;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.bind.ServletRequestUtils;
import org.springframework.web.server.ResponseStatusException;

import tools.jackson.core.JacksonException;

/**
 * The status page on the management port: its files, a stream of the state, and a stream of events.
 * All viewers share the samples of the state. Without viewers, no samples are taken.
 */
final class StatusPage {

    private static final String STATE = "state";
    private static final String SCRIPT = "text/javascript; charset=utf-8";
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

    /** The modules of the page beside {@code page.js}. */
    private static final List<String> MODULES =
            List.of("elements", "feed", "objects", "resources", "state", "timeline");

    private final ProcessDescription process;
    private final PageProperties properties;
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
            PageProperties properties,
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
                                                        properties.isAnyShown())));
    }

    /** The handlers of the page by path. */
    Map<String, HttpRequestHandler> parts() {
        Map<String, HttpRequestHandler> parts = new TreeMap<>();
        parts.put("/", file("page.html", "text/html; charset=utf-8"));
        parts.put("/page.css", file("page.css", "text/css; charset=utf-8"));
        parts.put("/page.svg", file("page.svg", "image/svg+xml"));
        parts.put("/page.js", file("page.js", SCRIPT));
        for (String module : MODULES) {
            String name = "page-" + module + ".js";
            parts.put("/" + name, file(name, SCRIPT));
        }
        parts.put(
                "/page/state",
                part((request, response) -> sessions.show(request, response, this::showState)));
        parts.put("/page/feed", part(this::feed));
        parts.put("/page/objects", part(json(this::search)));
        parts.put("/page/list", part(json(this::list)));
        parts.put("/page/object", part(json(this::versions)));
        parts.put("/page/difference", part(json(this::difference)));
        return parts;
    }

    private static HttpRequestHandler file(String name, String type) {
        try {
            byte[] bytes = new ClassPathResource(name, StatusPage.class).getContentAsByteArray();
            return part((_, response) -> send(response, type, bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void showState(StreamSessions.EventStream stream)
            throws IOException, InterruptedException {
        stream.send("past", new RecentChanges(System::nanoTime).of(process.plain()));
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
                            LabelSelectorParser.parse(parameter(request, "labels")),
                            FieldSelector.everything());
            EventFeed feed =
                    new EventFeed(
                            () -> mirrors(name),
                            selection,
                            parameter(request, "name"),
                            process.clock(),
                            System::nanoTime);
            sessions.show(request, response, stream -> follow(stream, feed));
        } catch (Rejection unreadable) {
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

    /** Returns the mirror of a name; all without a name. */
    private List<Mirror> mirrors(String name) {
        return process.plain().stream()
                .filter(mirror -> name.isEmpty() || mirror.scope().toString().equals(name))
                .toList();
    }

    private Object search(HttpServletRequest request) {
        String name = parameter(request, "name");
        List<Mirror> meant = name.isEmpty() ? List.of() : mirrors(parameter(request, "mirror"));
        return objects.search(meant, name);
    }

    private Object list(HttpServletRequest request) {
        String sortBy = parameter(request, "sortBy");
        String revision = parameter(request, "revision");
        int from = ServletRequestUtils.getIntParameter(request, "from", 0);
        return mirror(request)
                .filter(_ -> revision.matches("\\d{0,40}"))
                .flatMap(mirror -> pages.page(mirror, sortBy, revision, from))
                .orElseThrow(() -> missing("There is no such list at present."));
    }

    private Object versions(HttpServletRequest request) {
        Mirror mirror = mirror(request).orElseThrow(() -> missing("There is no such mirror."));
        ObjectKey key = new ObjectKey(parameter(request, "object"));
        return objects.versions(mirror, key, properties.isShown(mirror));
    }

    /** The only part of the page that shows contents. */
    private Object difference(HttpServletRequest request) {
        Mirror mirror =
                mirror(request)
                        .filter(properties::isShown)
                        .orElseThrow(
                                () ->
                                        new ResponseStatusException(
                                                HttpStatus.FORBIDDEN,
                                                "kubemirror.page.show-contents does not include"
                                                        + " this resource."));
        ObjectKey key = new ObjectKey(parameter(request, "object"));
        return compare(
                state(mirror, key, parameter(request, "from")),
                state(mirror, key, parameter(request, "to")));
    }

    private KubeObject state(Mirror mirror, ObjectKey key, String revision) {
        return objects.state(mirror, key, revision)
                .orElseThrow(() -> missing("The history does not have this revision any more."));
    }

    private ObjectDifference compare(KubeObject from, KubeObject to) {
        long bytes = ObjectDifference.MEMORY * ((long) from.json().length + to.json().length);
        if (!process.memory().tryAcquire(bytes)) {
            throw new ResponseStatusException(
                    HttpStatus.SERVICE_UNAVAILABLE,
                    "There is not enough memory to compare these revisions now.");
        }
        try {
            return ObjectDifference.between(from, to);
        } catch (JacksonException unreadable) {
            throw new ResponseStatusException(
                    HttpStatus.UNPROCESSABLE_CONTENT,
                    "The contents are nested too deeply to be compared.",
                    unreadable);
        } finally {
            process.memory().release(bytes);
        }
    }

    private Optional<Mirror> mirror(HttpServletRequest request) {
        return mirrors(parameter(request, "mirror")).stream().findFirst();
    }

    private static ResponseStatusException missing(String message) {
        return new ResponseStatusException(HttpStatus.NOT_FOUND, message);
    }

    /** Returns a handler that sends a value as JSON, or the message of a refusal. */
    private static HttpRequestHandler json(Function<HttpServletRequest, Object> value) {
        return (request, response) -> {
            Object body;
            try {
                body = value.apply(request);
            } catch (ResponseStatusException refusal) {
                response.setStatus(refusal.getStatusCode().value());
                body = Map.of("message", String.valueOf(refusal.getReason()));
            }
            String text = StreamSessions.EventStream.json(body);
            send(response, "application/json", text.getBytes(StandardCharsets.UTF_8));
        };
    }

    private static void send(HttpServletResponse response, String type, byte[] body)
            throws IOException {
        response.setContentType(type);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
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
