package io.kubemirror.feature.diagnose;

import module java.base;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;

import io.kubemirror.app.health.Diagnosis.UpstreamAnswers;
import io.kubemirror.app.health.Diagnosis.UpstreamDiagnosis;
import io.kubemirror.app.health.Finding.Kind;
import io.kubemirror.app.health.MirrorDiagnosis.AccessStatus;
import io.kubemirror.app.health.ProcessDescription;
import io.kubemirror.kube.ServerApi;
import io.kubemirror.kube.ServerApi.ServerVersion;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Names;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;

import org.jspecify.annotations.Nullable;

/**
 * Requests the version of the API server and the permissions of each mirror on behalf of an
 * operator. All requests together have a short timeout, so that a diagnosis is quick during an
 * outage. Results are cached for a few seconds.
 */
final class UpstreamProbe {

    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration MEMORY = Duration.ofSeconds(10);
    private static final int AT_ONCE = 8;
    private static final String LATE = "no response within 3 s";
    private static final String NO_SERVER = "no API server is configured";
    private static final List<Verb> VERBS = List.of(Verb.GET, Verb.LIST, Verb.WATCH);

    private final Source api;
    private final ProcessDescription process;

    private final LoadingCache<UpstreamProbe, UpstreamAnswers> cached;

    /** Creates a probe without results. */
    UpstreamProbe(Source api, ProcessDescription process) {
        this.api = api;
        this.process = process;
        this.cached =
                Caffeine.newBuilder()
                        .expireAfterWrite(MEMORY)
                        .ticker(process::nanos)
                        .build(_ -> ask());
    }

    /** The responses of the server, from the cache if they are recent. */
    UpstreamAnswers answers() {
        return cached.get(this);
    }

    private UpstreamAnswers ask() {
        Optional<ServerApi> server = api.as(ServerApi.class);
        ExecutorService threads =
                Executors.newFixedThreadPool(
                        AT_ONCE, Thread.ofVirtual().name("upstream-probe").factory());
        try {
            CompletableFuture<UpstreamDiagnosis> upstream =
                    ask(
                            () -> server.map(this::version).orElse(upstream(null, null, null)),
                            upstream(null, null, "the API server did not respond within 3 s"),
                            threads);
            Map<Scope, Map<String, AccessStatus>> access = new HashMap<>();
            for (Question question : questions(server, threads)) {
                access.computeIfAbsent(question.scope(), _ -> new LinkedHashMap<>())
                        .put(Names.kebab(question.verb()), question.answer().join());
            }
            return new UpstreamAnswers(upstream.join(), access);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Asks in the background. The result is complete after a short time at most. */
    private static <T extends @Nullable Object> CompletableFuture<T> ask(
            Supplier<T> question, T late, Executor threads) {
        return CompletableFuture.supplyAsync(question, threads)
                .completeOnTimeout(late, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionally(_ -> late);
    }

    /** A permission that a mirror needs, and whether it has it. */
    private record Question(Scope scope, Verb verb, CompletableFuture<AccessStatus> answer) {}

    private List<Question> questions(Optional<ServerApi> server, Executor threads) {
        AccessStatus late = new AccessStatus(null, LATE);
        List<Question> questions = new ArrayList<>();
        for (Mirror mirror : process.plain()) {
            ResourceType type = mirror.type().orElse(null);
            if (type != null) {
                for (Verb verb : VERBS) {
                    Permission needed = Permission.of(verb, type, mirror.scope().namespace());
                    questions.add(
                            new Question(
                                    mirror.scope(),
                                    verb,
                                    ask(() -> access(server, needed), late, threads)));
                }
            }
        }
        return questions;
    }

    private UpstreamDiagnosis version(ServerApi server) {
        Instant begun = process.clock().instant();
        Result<ServerVersion> outcome = server.version();
        double seconds = Duration.between(begun, process.clock().instant()).toMillis() / 1000.0;
        return switch (outcome) {
            case Result.Success(var version) -> upstream(version.gitVersion(), seconds, null);
            case Result.Failed(Failure.Refused refused) when refused.status().code() == 401 ->
                    new UpstreamDiagnosis(
                            process.upstream(), null, null, refused.summary(), Kind.CREDENTIALS);
            case Result.Failed(var failure) -> upstream(null, null, failure.summary());
        };
    }

    private UpstreamDiagnosis upstream(
            @Nullable String version, @Nullable Double seconds, @Nullable String problem) {
        return new UpstreamDiagnosis(process.upstream(), version, seconds, problem);
    }

    private static AccessStatus access(Optional<ServerApi> server, Permission permission) {
        return switch (server.map(api -> api.access(permission)).orElse(null)) {
            case null -> new AccessStatus(null, NO_SERVER);
            case Result.Success(var review) ->
                    new AccessStatus(
                            review.allowed(), review.allowed() ? null : permission.denialMessage());
            case Result.Failed(Failure.Refused refused) when refused.status().code() == 404 ->
                    new AccessStatus(null, "the API server does not support access reviews");
            case Result.Failed(var failure) -> new AccessStatus(null, failure.summary());
        };
    }
}
