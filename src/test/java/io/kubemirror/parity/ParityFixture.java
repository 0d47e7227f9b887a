package io.kubemirror.parity;

import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assumptions.assumeThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.WaitLimit;

import org.springframework.context.ConfigurableApplicationContext;

/** A real API server, and kubemirror that mirrors it. */
final class ParityFixture implements AutoCloseable {

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

    /** Few enough concurrent requests for any server. */
    private final Semaphore slots = new Semaphore(24);

    private final ApiServer server;
    private final ConfigurableApplicationContext kubemirror;
    private final URI mirror;
    private final TargetValues values;
    private final int minor;

    private ParityFixture(ApiServer server, List<String> settings) {
        this.server = server;
        kubemirror = ApplicationLauncher.with(settings.toArray(String[]::new));
        mirror = local("local.server.port");
        values = new TargetValues(numbers(server));
        minor = server.client().read("/version").path("minor").asInt();
    }

    /** Creates a fixture for a server that has been filled. */
    static ParityFixture on(ApiServer server, List<String> resources) {
        ParityFixture parityFixture = new ParityFixture(server, settings(server, resources));
        RawRequest ready = RawRequest.get("/actuator/health/readiness");
        parityFixture.await(parityFixture.local("local.management.port"), ready);
        return parityFixture;
    }

    /**
     * Creates a fixture whose history has one change, and that mirrors moons, which cannot be
     * listed.
     */
    static ParityFixture forgetting(ApiServer server) {
        List<String> settings = settings(server, List.of("secrets", "moons.v2.example.com"));
        settings.add("kubemirror.history.min-events=1");
        settings.add("kubemirror.history.max-events=1");
        ParityFixture parityFixture = new ParityFixture(server, settings);
        parityFixture.await(parityFixture.mirror, RawRequest.get("/api/v1/secrets"));
        ObservedResponse unlisted;
        do {
            unlisted =
                    parityFixture.ask(
                            parityFixture.mirror, RawRequest.get("/apis/example.com/v2/moons"));
        } while (unlisted.code() == 404);
        return parityFixture;
    }

    private static List<String> settings(ApiServer server, List<String> resources) {
        List<String> settings = new ArrayList<>(server.settings());
        settings.add("kubemirror.allow-secrets=true");
        for (int i = 0; i < resources.size(); i++) {
            settings.add("kubemirror.resources[%d].resource=%s".formatted(i, resources.get(i)));
        }
        return settings;
    }

    private void await(URI url, RawRequest request) {
        WaitLimit.until(() -> ask(url, request).code() == 200);
    }

    private static Map<String, Long> numbers(ApiServer server) {
        Map<String, Long> numbers = new HashMap<>();
        for (var pod : server.list(PODS).path("items")) {
            numbers.put(JsonTrees.key(pod).replaceAll("\\W", "_"), JsonTrees.revision(pod));
        }
        numbers.put("now", server.revision());
        return numbers;
    }

    private URI local(String port) {
        return ApplicationLauncher.url(kubemirror, port);
    }

    ApiServer server() {
        return server;
    }

    URI mirror() {
        return mirror;
    }

    /** Compares the last responses of both sides. */
    Comparison ask(ParityCase one) {
        ParityCase asked = one.at(isWhole(), minor);
        return Comparison.of(
                asked,
                askAll(server.url(), asked.requests()),
                askAll(mirror, asked.requests()),
                request -> askAll(server.url(), List.of(request)).getLast());
    }

    /** Whether the server is a complete kube-apiserver, which has no plain HTTP. */
    private boolean isWhole() {
        return server.url().getScheme().equals("https");
    }

    /** Skips what is about shards, if the version of the server ignores them. */
    void assumeServed(String rules) {
        assumeThat(minor >= 36 || !rules.startsWith("SH-")).as("the server has shards").isTrue();
    }

    private List<ObservedResponse> askAll(URI url, List<RawRequest> requests) {
        List<ObservedResponse> answers = new ArrayList<>();
        String answered = "";
        for (RawRequest request : requests) {
            String before = answered;
            ObservedResponse answer =
                    ask(url, request.filled(target -> values.fill(target, before)));
            answered = answer.body();
            String body = url.equals(server.url()) ? newer(request, answer.body()) : answer.body();
            answers.add(answer.withBody(Equality.normalized(body)));
        }
        return answers;
    }

    /** What newer versions answer: see the last of {@link Equality#RULES}. */
    private String newer(RawRequest request, String body) {
        String uncounted =
                minor < 37 && request.ofShard()
                        ? body.replaceFirst(",\"remainingItemCount\":\\d+", "")
                        : body;
        return minor < 36
                ? uncounted.replace(
                        "affected by this deployment.\"",
                        "affected by this deployment. It must match the pod template's labels.\"")
                : uncounted;
    }

    /** Returns the response of one side. */
    ObservedResponse ask(URI url, RawRequest request) {
        try {
            RawExchange rawExchange = send(url, request);
            Map<String, String> headers = new TreeMap<>(rawExchange.headers());
            headers.keySet().retainAll(HEADERS);
            headers.replaceAll((name, value) -> Equality.normalizedHeader(value));
            RawExchange.Body body = rawExchange.body();
            return new ObservedResponse(rawExchange.code(), headers, body.text(), body.whole());
        } catch (IOException e) {
            throw new UncheckedIOException(request.text(), e);
        }
    }

    /** Holds a slot until the answer begins, not while a watch is open. */
    private RawExchange send(URI url, RawRequest request) {
        slots.acquireUninterruptibly();
        try {
            return RawExchange.send(url, request);
        } finally {
            slots.release();
        }
    }

    @Override
    public void close() {
        kubemirror.close();
    }
}
