package io.kubemirror.parity;

import static io.kubemirror.testground.Types.PODS;

import io.kubemirror.Launch;
import io.kubemirror.testground.ApiServer;
import io.kubemirror.testground.Json;

import org.springframework.context.ConfigurableApplicationContext;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;

/** A genuine API server, and kubemirror that mirrors it. */
final class Ground implements AutoCloseable {

    private static final Set<String> HEADERS =
            Set.of(
                    "allow",
                    "cache-control",
                    "content-encoding",
                    "content-type",
                    "retry-after",
                    "vary",
                    "warning",
                    "x-content-type-options");

    /** As many at once as no server finds too many. */
    private final Semaphore slots = new Semaphore(24);

    private final ApiServer server;
    private final ConfigurableApplicationContext kubemirror;
    private final URI mirror;
    private final Values values;

    private Ground(ApiServer server, List<String> settings) {
        this.server = server;
        kubemirror = Launch.with(settings.toArray(String[]::new));
        mirror = local("local.server.port");
        values = new Values(numbers(server));
    }

    /** A ground on a server that has been filled. */
    static Ground on(ApiServer server) {
        Ground ground = new Ground(server, settings(server, World.MIRRORED));
        Request ready = Request.get("/actuator/health/readiness");
        ground.await(ground.local("local.management.port"), ready);
        return ground;
    }

    /** A ground on which kubemirror keeps one change, and mirrors moons that cannot be listed. */
    static Ground forgetting(ApiServer server) {
        List<String> settings = settings(server, List.of("secrets", "moons.v2.example.com"));
        settings.add("kubemirror.history.min-events=1");
        settings.add("kubemirror.history.max-events=1");
        Ground ground = new Ground(server, settings);
        ground.await(ground.mirror, Request.get("/api/v1/secrets"));
        Answer unlisted;
        do {
            unlisted = ground.ask(ground.mirror, Request.get("/apis/example.com/v2/moons"));
        } while (unlisted.code() == 404);
        return ground;
    }

    private static List<String> settings(ApiServer server, List<String> resources) {
        List<String> settings = new ArrayList<>();
        settings.add("kubemirror.upstream.server=" + server.url());
        settings.add("kubemirror.allow-secrets=true");
        for (int i = 0; i < resources.size(); i++) {
            settings.add("kubemirror.resources[%d].resource=%s".formatted(i, resources.get(i)));
        }
        return settings;
    }

    private void await(URI url, Request request) {
        while (ask(url, request).code() != 200) {
            Thread.onSpinWait();
        }
    }

    private static Map<String, Long> numbers(ApiServer server) {
        Map<String, Long> numbers = new HashMap<>();
        for (var pod : server.list(PODS).path("items")) {
            numbers.put(Json.key(pod).replaceAll("\\W", "_"), Json.revision(pod));
        }
        numbers.put("now", server.revision());
        return numbers;
    }

    private URI local(String port) {
        return URI.create(
                "http://127.0.0.1:" + kubemirror.getEnvironment().getRequiredProperty(port));
    }

    ApiServer server() {
        return server;
    }

    URI mirror() {
        return mirror;
    }

    /** What the server and kubemirror answer at last. */
    Comparison ask(ParityCase asked) {
        return Comparison.of(
                asked,
                askAll(server.url(), asked.requests()),
                askAll(mirror, asked.requests()),
                request -> askAll(server.url(), List.of(request)).getLast());
    }

    private List<Answer> askAll(URI url, List<Request> requests) {
        List<Answer> answers = new ArrayList<>();
        String answered = "";
        for (Request request : requests) {
            String before = answered;
            Answer answer = ask(url, request.filled(target -> values.fill(target, before)));
            answered = answer.body();
            answers.add(answer.withBody(Equality::essence));
        }
        return answers;
    }

    /** What one side answers. */
    Answer ask(URI url, Request request) {
        try {
            Wire wire = send(url, request);
            Map<String, String> headers = new TreeMap<>(wire.headers());
            headers.keySet().retainAll(HEADERS);
            headers.replaceAll((name, value) -> Equality.essenceOfHeader(value));
            Wire.Body body = wire.body();
            return new Answer(wire.code(), headers, body.text(), body.whole());
        } catch (IOException e) {
            throw new UncheckedIOException(request.text(), e);
        }
    }

    /** Holds a slot until the answer begins, not while a watch is open. */
    private Wire send(URI url, Request request) {
        slots.acquireUninterruptibly();
        try {
            return Wire.send(url, request);
        } finally {
            slots.release();
        }
    }

    @Override
    public void close() {
        kubemirror.close();
    }
}
