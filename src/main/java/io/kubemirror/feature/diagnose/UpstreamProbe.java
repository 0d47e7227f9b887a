package io.kubemirror.feature.diagnose;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;

import io.kubemirror.feature.diagnose.Diagnosis.WatchCounts;
import io.kubemirror.feature.diagnose.MirrorDiagnosis.AccessStatus;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Names;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.ServerApi;
import io.kubemirror.source.ServerApi.ServerVersion;
import io.kubemirror.source.Source;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Requests the version of the API server, the permissions of each mirror, and if desired the number
 * of watches, on behalf of an operator. All requests together have a short timeout, so that a
 * diagnosis is quick during an outage. Results are cached for a few seconds.
 */
final class UpstreamProbe {

    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration MEMORY = Duration.ofSeconds(10);
    private static final int AT_ONCE = 8;
    private static final AccessStatus LATE = new AccessStatus(null, "no response within 3 s");

    private static final WatchCounts LATE_COUNTS =
            new WatchCounts(Map.of(), "no response within 3 s");

    private static final String NO_SERVER = "no API server is configured";

    private final Source api;
    private final DiagnosisInput input;

    /** By whether watches are counted. */
    private final LoadingCache<Boolean, ProbeResults> cached;

    /**
     * The responses of the server.
     *
     * @param upstream whether it is available
     * @param access what it permits, by mirror and verb
     */
    record ProbeResults(
            Diagnosis.UpstreamDiagnosis upstream, Map<Mirror, Map<String, AccessStatus>> access) {}

    /** Creates a probe without results. */
    UpstreamProbe(Source api, DiagnosisInput input) {
        this.api = api;
        this.input = input;
        this.cached =
                Caffeine.newBuilder()
                        .expireAfterWrite(MEMORY)
                        .ticker(input::nanos)
                        .build(this::ask);
    }

    /**
     * The responses of the server, from the cache if they are recent.
     *
     * @param watches whether the server is asked for the number of watches
     */
    ProbeResults answers(boolean watches) {
        return cached.get(watches);
    }

    private ProbeResults ask(boolean watches) {
        List<ProbeQuestion> questions =
                input.plain().stream().flatMap(UpstreamProbe::questions).toList();
        List<Callable<Object>> calls = new ArrayList<>();
        calls.add(this::upstream);
        calls.add(() -> watches ? watches() : LATE_COUNTS);
        questions.forEach(question -> calls.add(() -> access(question.permission())));
        List<Future<Object>> answers = askAll(calls);
        Map<Mirror, Map<String, AccessStatus>> access = new HashMap<>();
        for (int i = 0; i < questions.size(); i++) {
            ProbeQuestion question = questions.get(i);
            access.computeIfAbsent(question.mirror(), _ -> new LinkedHashMap<>())
                    .put(
                            Names.kebab(question.permission().verb()),
                            (AccessStatus) answer(answers.get(i + 2), LATE));
        }
        Object late = upstream(null, null, "the API server did not respond within 3 s");
        Diagnosis.UpstreamDiagnosis upstream =
                (Diagnosis.UpstreamDiagnosis) answer(answers.getFirst(), late);
        return new ProbeResults(
                watches
                        ? upstream.with((WatchCounts) answer(answers.get(1), LATE_COUNTS))
                        : upstream,
                access);
    }

    private WatchCounts watches() {
        Set<ResourceType> types =
                input.plain().stream()
                        .flatMap(mirror -> mirror.type().stream())
                        .collect(Collectors.toSet());
        ServerApi server = api.as(ServerApi.class).orElse(null);
        if (server == null) {
            return new WatchCounts(Map.of(), NO_SERVER);
        }
        return switch (server.watches(types)) {
            case Result.Success(var counts) -> {
                Map<String, Long> open = new TreeMap<>();
                counts.forEach((type, count) -> open.put(type.groupResource(), count));
                yield new WatchCounts(open, null);
            }
            case Result.Failed(Failure.Refused refused) when refused.status().code() == 403 ->
                    new WatchCounts(
                            Map.of(),
                            "not permitted; grant get on the non-resource URL /metrics to see it");
            case Result.Failed(var failure) -> new WatchCounts(Map.of(), failure.summary());
        };
    }

    private static List<Future<Object>> askAll(List<Callable<Object>> calls) {
        ExecutorService threads =
                Executors.newFixedThreadPool(
                        AT_ONCE, Thread.ofVirtual().name("upstream-probe").factory());
        try {
            return threads.invokeAll(calls, PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted while waiting for the API server");
        } finally {
            threads.shutdownNow();
        }
    }

    private static Object answer(Future<Object> answered, Object otherwise) {
        return answered.state() == Future.State.SUCCESS ? answered.resultNow() : otherwise;
    }

    private Diagnosis.UpstreamDiagnosis upstream() {
        Instant begun = input.clock().instant();
        ServerApi server = api.as(ServerApi.class).orElse(null);
        if (server == null) {
            return upstream(null, null, null);
        }
        Result<ServerVersion> outcome = server.version();
        double seconds = Duration.between(begun, input.clock().instant()).toMillis() / 1000.0;
        return switch (outcome) {
            case Result.Success(var version) -> upstream(version.gitVersion(), seconds, null);
            case Result.Failed(var failure) -> upstream(null, null, failure.summary());
        };
    }

    private Diagnosis.UpstreamDiagnosis upstream(
            @Nullable String version, @Nullable Double seconds, @Nullable String problem) {
        return new Diagnosis.UpstreamDiagnosis(
                input.process().upstream(), version, seconds, problem, null);
    }

    private AccessStatus access(Permission permission) {
        ServerApi server = api.as(ServerApi.class).orElse(null);
        if (server == null) {
            return new AccessStatus(null, NO_SERVER);
        }
        return switch (server.access(permission)) {
            case Result.Success(var review) ->
                    review.allowed()
                            ? new AccessStatus(true, null)
                            : new AccessStatus(false, permission.denialMessage());
            case Result.Failed(Failure.Refused refused) when refused.status().code() == 404 ->
                    new AccessStatus(null, "the API server does not support access reviews");
            case Result.Failed(var failure) -> new AccessStatus(null, failure.summary());
        };
    }

    /** A permission that a mirror needs. */
    private record ProbeQuestion(Mirror mirror, Permission permission) {}

    private static Stream<ProbeQuestion> questions(Mirror mirror) {
        String namespace = mirror.scope().selection().namespace();
        return mirror.type().filter(_ -> mirror.members().isEmpty()).stream()
                .flatMap(
                        type ->
                                Stream.of(Verb.GET, Verb.LIST, Verb.WATCH)
                                        .map(verb -> Permission.of(verb, type, namespace)))
                .map(permission -> new ProbeQuestion(mirror, permission));
    }
}
