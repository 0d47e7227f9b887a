package io.kubemirror;

import io.kubemirror.access.AccessControl;
import io.kubemirror.access.Hosts;
import io.kubemirror.api.read.FieldSupport;
import io.kubemirror.api.read.ReadPolicies;
import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionLimits;
import io.kubemirror.api.server.GracefulShutdown.ShutdownPlan;
import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableField;
import io.kubemirror.model.SelectableFields;
import io.kubemirror.ops.MirrorsHealthIndicator;
import io.kubemirror.ops.UpstreamHealthIndicator;
import io.kubemirror.reflector.ConnectionProbe;
import io.kubemirror.reflector.ListLimiter;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorEnvironment;
import io.kubemirror.upstream.ReviewApi;
import io.kubemirror.upstream.UpstreamApi;
import io.kubemirror.upstream.kube.KubeClient;
import io.kubemirror.upstream.kube.ProcessEnvironment;
import io.micrometer.core.instrument.MeterRegistry;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
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

    private static final Logger log = LoggerFactory.getLogger(MirrorConfiguration.class);

    @Bean
    static MirrorRegistration mirrorRegistration(BeanFactory beans) {
        return new MirrorRegistration(beans);
    }

    @Bean
    KubeClient kubeApi(
            MirrorProperties properties,
            ObjectProvider<BuildProperties> build,
            MemoryPlan plan,
            MemoryBudget incomingMemory) {
        BuildProperties built = build.getIfAvailable();
        String version = built == null ? "unknown" : String.valueOf(built.getVersion());
        KubeClient client =
                KubeClient.connect(
                        properties.upstream().settings(),
                        ProcessEnvironment.ofProcess(),
                        PlanReader.client(properties.upstream(), version, plan, incomingMemory));
        log.info("kubemirror {} mirrors {}", version, client.upstream());
        return client;
    }

    /** A mirror reads those fields of its objects that clients can select by. */
    @Bean
    FieldSupport fieldSupport(List<MirrorPlan> plans) {
        Map<Scope, MirrorPlan> byScope = byScope(plans);
        return (scope, type, declared) -> {
            MirrorPlan plan = byScope.get(scope);
            List<SelectableField> indexed = plan == null ? List.of() : plan.settings().indexed();
            return SelectableFields.of(type, declared, indexed, scope.extent());
        };
    }

    @Bean
    ReadPolicies readPolicies(List<MirrorPlan> plans) {
        Map<Scope, MirrorPlan> byScope = byScope(plans);
        return scope -> {
            MirrorPlan plan = byScope.get(scope);
            return plan == null ? ReadPolicy.SERVE_STALE : plan.reads();
        };
    }

    /** If two selectors are equivalent, the first mirror is served. */
    private static Map<Scope, MirrorPlan> byScope(List<MirrorPlan> plans) {
        return plans.stream()
                .collect(
                        Collectors.toMap(
                                MirrorPlan::scope, Function.identity(), (first, _) -> first));
    }

    @Bean
    ShutdownPlan shutdownPlan(MirrorProperties properties) {
        MirrorProperties.ShutdownProperties shutdown = properties.shutdown();
        return new ShutdownPlan(shutdown.delay(), shutdown.watchSpread());
    }

    @Bean
    ConnectionLimits connectionLimits(MirrorProperties properties) {
        return PlanReader.connections(properties.connections());
    }

    @Bean
    ReflectorLifecycle reflectorLifecycle(List<Reflector> reflectors) {
        return new ReflectorLifecycle(reflectors);
    }

    @Bean
    Hosts hosts(ServerProperties server, MirrorProperties properties) {
        return AccessReader.hosts(server, properties);
    }

    @Bean
    AccessControl access(
            MirrorProperties properties,
            ServerProperties server,
            ReviewApi reviews,
            MeterRegistry registry,
            InstantSource clock,
            MemoryBudget clientMemory) {
        Executor threads = task -> Thread.ofVirtual().name("review").start(task);
        return AccessReader.access(
                properties.access(),
                server,
                new AccessControl.Dependencies(
                        reviews, registry, threads, clock, System::nanoTime, clientMemory));
    }

    @Bean
    ListenerCheck listenerCheck(ServerProperties server, MirrorProperties properties) {
        boolean authenticated = !properties.access().authentication().isEmpty();
        return new ListenerCheck(server, authenticated, properties.allowUnauthenticated());
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
    @Bean(name = MirrorRegistration.NOTIFIER, defaultCandidate = false)
    ExecutorService notifier() {
        return Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name("notifier").factory());
    }
}
