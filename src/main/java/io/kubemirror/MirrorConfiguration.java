package io.kubemirror;

import io.kubemirror.api.read.FieldSupport;
import io.kubemirror.api.read.ReadPolicies;
import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionProperties;
import io.kubemirror.api.server.GracefulShutdown.ShutdownProperties;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableField;
import io.kubemirror.model.SelectableFields;
import io.kubemirror.ops.MirrorsHealthIndicator;
import io.kubemirror.ops.UpstreamHealthIndicator;
import io.kubemirror.reflector.ConnectionProbe;
import io.kubemirror.reflector.ListLimiter;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorEnvironment;
import io.kubemirror.upstream.UpstreamApi;
import io.kubemirror.upstream.etcd.EtcdClient;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * Creates one mirror and one reflector for each configured resource and namespace, and the beans
 * that they share.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(MirrorProperties.class)
class MirrorConfiguration {

    private static final String NOTIFIER = "notifier";

    @Bean
    List<MirrorDefinition> mirrorDefinitions(MirrorProperties properties) {
        return MirrorDefinition.all(properties);
    }

    /** The reflectors and their mirrors, in the order of the configuration. */
    @Bean
    List<Reflector> reflectors(
            List<MirrorDefinition> definitions,
            MirrorProperties properties,
            UpstreamSources sources,
            MirrorMemory memory,
            ReflectorEnvironment environment,
            @Qualifier(NOTIFIER) Executor notifier) {
        Window window = properties.history().window();
        ReflectorEnvironment ofEtcd = ofEtcd(environment, sources.etcd());
        return definitions.stream()
                .map(
                        definition ->
                                new Reflector(
                                        sources.of(definition.scope().resource()),
                                        new MirrorWriter(
                                                new Mirror(
                                                        definition.scope(),
                                                        window,
                                                        notifier,
                                                        System::nanoTime),
                                                System::nanoTime,
                                                definition.settings().updates(),
                                                memory,
                                                definition.limits()),
                                        definition.settings(),
                                        sources.of(definition.scope().resource()) == sources.etcd()
                                                ? ofEtcd
                                                : environment))
                .toList();
    }

    /** The members of etcd return on their own. */
    private static ReflectorEnvironment ofEtcd(
            ReflectorEnvironment environment, @Nullable EtcdClient etcd) {
        return new ReflectorEnvironment(
                environment.clock(),
                environment.random(),
                environment.sleeper(),
                environment.limiter(),
                etcd == null
                        ? environment.probe()
                        : new ConnectionProbe(
                                etcd::acceptsConnections,
                                environment.clock(),
                                environment.random(),
                                environment.sleeper()));
    }

    @Bean
    List<Mirror> mirrors(List<Reflector> reflectors) {
        return reflectors.stream().map(Reflector::mirror).toList();
    }

    /** A mirror reads those fields of its objects that clients can select by. */
    @Bean
    FieldSupport fieldSupport(List<MirrorDefinition> definitions) {
        Map<Scope, List<SelectableField>> indexed =
                byScope(definitions, definition -> definition.settings().indexed());
        return (scope, type, declared) ->
                SelectableFields.of(
                        type, declared, indexed.getOrDefault(scope, List.of()), scope.extent());
    }

    @Bean
    ReadPolicies readPolicies(List<MirrorDefinition> definitions) {
        Map<Scope, ReadPolicy> policies = byScope(definitions, MirrorDefinition::reads);
        return scope -> policies.getOrDefault(scope, ReadPolicy.SERVE_STALE);
    }

    /** If two selectors are equivalent, the first mirror is served. */
    private static <T> Map<Scope, T> byScope(
            List<MirrorDefinition> definitions, Function<MirrorDefinition, T> value) {
        return definitions.stream()
                .collect(Collectors.toMap(MirrorDefinition::scope, value, (first, _) -> first));
    }

    @Bean
    ShutdownProperties shutdownProperties(MirrorProperties properties) {
        return properties.shutdown();
    }

    @Bean
    ConnectionProperties connectionProperties(MirrorProperties properties) {
        return properties.connections();
    }

    @Bean
    MirrorsHealthIndicator mirrorsHealthIndicator(List<Mirror> mirrors, InstantSource clock) {
        return new MirrorsHealthIndicator(mirrors, clock);
    }

    @Bean
    UpstreamHealthIndicator upstreamHealthIndicator(
            List<Mirror> mirrors, MirrorProperties properties, InstantSource clock) {
        return new UpstreamHealthIndicator(mirrors, properties.upstream().lostAfter(), clock);
    }

    @Bean
    ReflectorEnvironment reflectorEnvironment(
            InstantSource clock,
            RandomGenerator random,
            UpstreamApi api,
            MirrorProperties properties) {
        ListLimiter limiter = new ListLimiter(properties.upstream().concurrentLists());
        ConnectionProbe probe =
                new ConnectionProbe(api::acceptsConnections, clock, random, Thread::sleep);
        return new ReflectorEnvironment(clock, random, Thread::sleep, limiter, probe);
    }

    @Bean
    InstantSource clock() {
        return InstantSource.system();
    }

    /** Safe for all reflectors at once, because every thread has its own generator. */
    @Bean
    RandomGenerator random() {
        return () -> ThreadLocalRandom.current().nextLong();
    }

    /**
     * Signals subscriptions, for all mirrors. It is not a default candidate, because Boot would use
     * it as the executor for web requests.
     */
    @Bean(name = NOTIFIER, defaultCandidate = false)
    ExecutorService notifier() {
        return Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name("notifier").factory());
    }
}
