package io.kubemirror;

import static java.util.Objects.requireNonNull;

import io.kubemirror.api.read.FieldSupport;
import io.kubemirror.api.read.ReadPolicies;
import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorUnion;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableField;
import io.kubemirror.model.SelectableFields;
import io.kubemirror.ops.MirrorsHealthIndicator;
import io.kubemirror.ops.SyncDeadlines;
import io.kubemirror.ops.SyncDeadlines.SyncLimit;
import io.kubemirror.ops.UpstreamHealthIndicator;
import io.kubemirror.reflector.ConnectionProbe;
import io.kubemirror.reflector.ListLimiter;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorEnvironment;
import io.kubemirror.reflector.ReflectorSettings;
import io.kubemirror.reflector.UnionReflector;
import io.kubemirror.upstream.UpstreamApi;
import io.kubemirror.upstream.etcd.EtcdClient;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

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
            UpstreamSources sources,
            MirrorMemory memory,
            ReflectorEnvironment environment,
            @Qualifier(NOTIFIER) Executor notifier) {
        ReflectorEnvironment ofEtcd = ofEtcd(environment, sources.etcd());
        return definitions.stream()
                .map(
                        definition ->
                                new Reflector(
                                        sources.of(definition.scope().resource()),
                                        new MirrorWriter(
                                                new Mirror(
                                                        definition.scope(),
                                                        definition.window(),
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

    /** The unions of mirrors, in the order of the configuration. */
    @Bean
    List<UnionReflector> unionReflectors(
            List<MirrorDefinition> definitions,
            List<Reflector> reflectors,
            MirrorMemory memory,
            @Qualifier(NOTIFIER) Executor notifier) {
        Map<Scope, Map<Mirror, Reflector>> unions = new LinkedHashMap<>();
        Map<Scope, MirrorDefinition> first = new HashMap<>();
        for (int i = 0; i < definitions.size(); i++) {
            Scope union = definitions.get(i).union();
            if (union != null) {
                Reflector reflector = reflectors.get(i);
                first.putIfAbsent(union, definitions.get(i));
                unions.computeIfAbsent(union, _ -> new LinkedHashMap<>())
                        .put(reflector.mirror(), reflector);
            }
        }
        return unions.entrySet().stream()
                .map(
                        union -> {
                            MirrorDefinition definition = requireNonNull(first.get(union.getKey()));
                            Mirror mirror =
                                    new Mirror(
                                            union.getKey(),
                                            definition.window(),
                                            notifier,
                                            System::nanoTime,
                                            List.copyOf(union.getValue().keySet()));
                            return union(mirror, union.getValue(), definition.settings(), memory);
                        })
                .toList();
    }

    /** A union accounts for its objects with its members, which have the limits. */
    private static UnionReflector union(
            Mirror mirror,
            Map<Mirror, Reflector> members,
            ReflectorSettings settings,
            MirrorMemory memory) {
        MirrorWriter writer =
                new MirrorWriter(
                        mirror,
                        System::nanoTime,
                        settings.updates(),
                        memory,
                        MirrorMemory.Limits.NONE);
        MirrorUnion union =
                new MirrorUnion(
                        writer,
                        (member, revision) ->
                                requireNonNull(members.get(member)).requestProgress(revision),
                        System::nanoTime);
        return new UnionReflector(union, settings.strategy(), Thread::sleep);
    }

    @Bean
    List<Mirror> mirrors(List<Reflector> reflectors, List<UnionReflector> unionReflectors) {
        return Stream.concat(
                        reflectors.stream().map(Reflector::mirror),
                        unionReflectors.stream().map(UnionReflector::mirror))
                .toList();
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

    /** If two selectors are equivalent, the first mirror is served. A union is as its members. */
    private static <T> Map<Scope, T> byScope(
            List<MirrorDefinition> definitions, Function<MirrorDefinition, T> value) {
        Map<Scope, T> values = new HashMap<>();
        for (MirrorDefinition definition : definitions) {
            values.putIfAbsent(definition.scope(), value.apply(definition));
            if (definition.union() != null) {
                values.putIfAbsent(definition.union(), value.apply(definition));
            }
        }
        return values;
    }

    /** The reflectors are in the order of their definitions. */
    @Bean
    SyncDeadlines syncDeadlines(List<MirrorDefinition> definitions, List<Reflector> reflectors) {
        Map<Mirror, SyncLimit> limits = new HashMap<>();
        for (int i = 0; i < reflectors.size(); i++) {
            limits.put(reflectors.get(i).mirror(), definitions.get(i).syncLimit());
        }
        return new SyncDeadlines(limits, System::exit);
    }

    @Bean
    MirrorsHealthIndicator mirrorsHealthIndicator(
            List<Mirror> mirrors, InstantSource clock, SyncDeadlines deadlines) {
        return new MirrorsHealthIndicator(mirrors, clock, deadlines);
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
