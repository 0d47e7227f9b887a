package io.kubemirror.ops;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Names;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.ResourceType;
import io.kubemirror.ops.MirrorDiagnosis.AccessStatus;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.Result;
import io.kubemirror.upstream.UpstreamApi;
import io.kubemirror.upstream.UpstreamApi.ServerVersion;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Requests the version of the API server and the permissions of each mirror, on behalf of an
 * operator. All requests together have a short timeout, so that a diagnosis is quick during an
 * outage. Results are cached for a few seconds.
 */
final class UpstreamProbe {

    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration MEMORY = Duration.ofSeconds(10);
    private static final int AT_ONCE = 8;
    private static final AccessStatus LATE = new AccessStatus(null, "no answer within 3 s");

    private final UpstreamApi api;
    private final String server;
    private final List<Mirror> mirrors;
    private final InstantSource clock;
    private final ExpiringSupplier<ProbeResults> cached;

    /**
     * The responses of the server.
     *
     * @param upstream whether it is available
     * @param access what it permits, by mirror and verb
     */
    record ProbeResults(
            Diagnosis.UpstreamDiagnosis upstream, Map<String, Map<String, AccessStatus>> access) {}

    /**
     * Creates a probe without results.
     *
     * @param server the display name of the server
     * @param mirrors the mirrors whose permissions to check
     */
    UpstreamProbe(UpstreamApi api, String server, List<Mirror> mirrors, InstantSource clock) {
        this.api = api;
        this.server = server;
        this.mirrors = mirrors;
        this.clock = clock;
        this.cached = new ExpiringSupplier<>(this::ask, MEMORY, clock);
    }

    /** The responses of the server, from the cache if they are recent. */
    ProbeResults answers() {
        return cached.get();
    }

    private ProbeResults ask() {
        List<ProbeQuestion> questions =
                mirrors.stream().flatMap(mirror -> questions(mirror).stream()).toList();
        List<Callable<Object>> calls = new ArrayList<>();
        calls.add(this::upstream);
        questions.forEach(question -> calls.add(() -> access(question.permission())));
        List<Future<Object>> answers = askAll(calls);
        Map<String, Map<String, AccessStatus>> access = new LinkedHashMap<>();
        for (int i = 0; i < questions.size(); i++) {
            ProbeQuestion question = questions.get(i);
            access.computeIfAbsent(question.mirror(), _ -> new LinkedHashMap<>())
                    .put(question.verb(), (AccessStatus) answer(answers.get(i + 1), LATE));
        }
        return new ProbeResults(
                (Diagnosis.UpstreamDiagnosis) answer(answers.getFirst(), late()), access);
    }

    private static List<Future<Object>> askAll(List<Callable<Object>> calls) {
        ExecutorService threads =
                Executors.newFixedThreadPool(
                        AT_ONCE, Thread.ofVirtual().name("upstream-probe").factory());
        try {
            return threads.invokeAll(calls, PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted while the server was asked");
        } finally {
            threads.shutdownNow();
        }
    }

    private static Object answer(Future<Object> answered, Object otherwise) {
        return answered.state() == Future.State.SUCCESS ? answered.resultNow() : otherwise;
    }

    private Diagnosis.UpstreamDiagnosis upstream() {
        var begun = clock.instant();
        Result<ServerVersion> outcome = api.version();
        double seconds = Duration.between(begun, clock.instant()).toMillis() / 1000.0;
        return switch (outcome) {
            case Result.Success(var version) ->
                    new Diagnosis.UpstreamDiagnosis(server, version.gitVersion(), seconds, null);
            case Result.Failed(var failure) ->
                    new Diagnosis.UpstreamDiagnosis(server, null, null, failure.summary());
        };
    }

    private Diagnosis.UpstreamDiagnosis late() {
        return new Diagnosis.UpstreamDiagnosis(
                server, null, null, "the API server has not answered within 3 s");
    }

    private AccessStatus access(Permission permission) {
        return switch (api.access(permission)) {
            case Result.Success(var review) ->
                    review.allowed()
                            ? new AccessStatus(true, null)
                            : new AccessStatus(false, permission.lack());
            case Result.Failed(Failure.Refused refused) when refused.status().code() == 404 ->
                    new AccessStatus(null, "the API server reviews no access");
            case Result.Failed(var failure) -> new AccessStatus(null, failure.summary());
        };
    }

    /** A permission that a mirror needs. */
    private record ProbeQuestion(String mirror, Permission permission) {

        String verb() {
            return Names.kebab(permission.verb());
        }
    }

    private static List<ProbeQuestion> questions(Mirror mirror) {
        return mirror.type().stream()
                .flatMap(
                        type ->
                                List.of(Verb.values()).stream()
                                        .map(verb -> permission(mirror, type, verb)))
                .map(permission -> new ProbeQuestion(mirror.scope().toString(), permission))
                .toList();
    }

    private static Permission permission(Mirror mirror, ResourceType type, Verb verb) {
        return new Permission(
                verb, type.group(), type.plural(), mirror.scope().selection().namespace());
    }
}
