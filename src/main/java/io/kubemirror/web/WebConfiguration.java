package io.kubemirror.web;

import io.kubemirror.access.Access;
import io.kubemirror.access.Hosts;
import io.kubemirror.kube.KubeApi;
import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.mirror.Mirrors;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.random.RandomGenerator;

/** Puts the read API together. */
@Configuration(proxyBeanMethods = false)
class WebConfiguration {

    /** Mapped controllers have order 0. */
    private static final int FIRST_AFTER_CONTROLLERS = 1;

    private static final String ALARMS = "watchAlarms";

    private static final Executor THREADS = task -> Thread.ofVirtual().name("request").start(task);

    @Bean
    JettySettings jettySettings(Connections connections) {
        return new JettySettings(connections);
    }

    @Bean
    AcceptFailures acceptFailures() {
        return new AcceptFailures(System::nanoTime).installed();
    }

    @Bean
    CertificateRotation certificateRotation(SslBundles bundles) {
        return new CertificateRotation(bundles);
    }

    @Bean
    ConnectionMeters connectionMeters() {
        return new ConnectionMeters();
    }

    @Bean
    ClientMemory clientMemoryParts(
            @Qualifier("clientMemory") ObjectProvider<MemoryBudget> clientMemory) {
        return ClientMemory.of(clientMemory.getIfAvailable(MemoryBudget::unlimited));
    }

    @Bean
    Connections connections(
            ObjectProvider<ConnectionLimits> limits, ClientMemory memory, ConnectionMeters meters) {
        return new Connections(
                limits.getIfAvailable(ConnectionLimits::standard),
                memory,
                meters,
                System::nanoTime);
    }

    @Bean
    Entrance entrance(
            OpenRequests requests,
            Connections connections,
            ObjectProvider<Hosts> hosts,
            Gate gate) {
        // Mistakes would be told by Jetty, at length, as it starts with the filter.
        StrangerGuard strangers =
                new StrangerGuard(
                        SingletonSupplier.of(() -> hosts.getIfAvailable(Hosts::loopback)));
        return new Entrance(requests, connections, strangers, gate);
    }

    @Bean
    Gate gate(ObjectProvider<Access> access) {
        return new Gate(
                SingletonSupplier.of(() -> access.getIfAvailable(Access.Open::new)), THREADS);
    }

    @Bean
    Patrol patrol(
            ObjectProvider<Access> access,
            OpenWatches watches,
            ObjectProvider<Shutdown.Pause> pause) {
        return new Patrol(
                access.getIfAvailable(Access.Open::new),
                watches,
                pause.getIfAvailable(() -> Thread::sleep));
    }

    @Bean
    OpenRequests openRequests() {
        return new OpenRequests();
    }

    @Bean
    Shutdown shutdown(
            ObjectProvider<ShutdownPlan> plan,
            OpenWatches watches,
            OpenRequests requests,
            ObjectProvider<Shutdown.Pause> pause) {
        return new Shutdown(
                plan.getIfAvailable(() -> ShutdownPlan.IMMEDIATE),
                watches,
                requests,
                pause.getIfAvailable(() -> Thread::sleep));
    }

    @Bean
    OpenWatches openWatches() {
        return new OpenWatches();
    }

    @Bean
    MirrorDirectory mirrorDirectory(Mirrors mirrors) {
        return new MirrorDirectory(mirrors, System::nanoTime);
    }

    @Bean
    ServedRevisions servedRevisions() {
        return new ServedRevisions();
    }

    @Bean
    Answerers answerers(
            KubeApi api,
            ReadPolicies policies,
            InstantSource clock,
            ServedRevisions served,
            ClientMemory memory,
            ObjectProvider<Timing> timing) {
        Freshness freshness = new Freshness(timing.getIfAvailable(Timing::standard).freshness());
        return new Answerers(
                new Referrals(api, policies, served, freshness, THREADS),
                new Proxy(api, served, THREADS, memory.proxied()),
                new Admission(policies, clock));
    }

    @Bean
    Audience audience(InstantSource clock) {
        return new Audience(clock, System::nanoTime);
    }

    @Bean
    WatchMeters watchMeters(Mirrors mirrors, MeterRegistry registry, Audience audience) {
        return new WatchMeters(mirrors, registry, audience, System::nanoTime);
    }

    @Bean
    Watches watches(
            MirrorDirectory directory,
            OpenWatches open,
            WatchMeters meters,
            Audience audience,
            RandomGenerator random,
            ServedRevisions served,
            Crew crew,
            @Qualifier(ALARMS) ScheduledExecutorService alarms,
            ObjectProvider<Timing> timing) {
        Timing used = timing.getIfAvailable(Timing::standard);
        return new Watches(
                new WatchStarts(directory, new Freshness(used.freshness()), served),
                open,
                meters,
                audience,
                new Watches.Clockwork(used, System::nanoTime, alarms, random),
                crew);
    }

    /**
     * Shared by all watches: to ring is nothing but to ask for a turn. No candidate for injection
     * by type, or Boot would take it for its own scheduler.
     */
    @Bean(name = ALARMS, defaultCandidate = false)
    ScheduledExecutorService alarms() {
        ScheduledThreadPoolExecutor alarms =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().daemon().name("alarms").factory());
        alarms.setRemoveOnCancelPolicy(true);
        return alarms;
    }

    @Bean
    Crew crew() {
        return new Crew(Runtime.getRuntime().availableProcessors());
    }

    @Bean
    Forms forms(PrinterColumns columns, InstantSource clock, RandomGenerator random) {
        return new Forms(
                new EntityTags(random.nextLong()),
                new CustomFormats(columns, System::nanoTime),
                clock);
    }

    @Bean
    KubeApiController kubeApiController(
            MirrorDirectory directory,
            FieldSupport support,
            Watches watches,
            Forms forms,
            Answerers answerers,
            KubeApi api,
            KubeApiController.Threads threads,
            WatchMeters meters,
            ObjectProvider<Timing> timing) {
        Freshness freshness = new Freshness(timing.getIfAvailable(Timing::standard).freshness());
        return new KubeApiController(
                directory,
                new DiscoveryReads(new Discovery(directory)),
                new MirroredReads(
                        new CollectionRequests(support),
                        new Gets(directory, freshness),
                        new Lists(directory, freshness, meters),
                        watches,
                        forms,
                        answerers),
                new ServerVersion(api, System::nanoTime, THREADS),
                threads);
    }

    @Bean
    KubeApiController.Threads threads(
            OpenRequests requests, MeterRegistry registry, ClientMemory memory) {
        return new KubeApiController.Threads(
                THREADS, requests, new RequestMeters(registry, System::nanoTime), memory);
    }

    @Bean
    ErrorAnswers errorAnswers() {
        return new ErrorAnswers();
    }

    /** Comes after all mapped controllers, so that others may serve pages of their own. */
    @Bean
    SimpleUrlHandlerMapping kubeApiMapping(
            KubeApiController api,
            ErrorAnswers errors,
            ObjectProvider<HealthEndpoint> health,
            ObjectProvider<HealthEndpointGroups> groups) {
        Map<String, Object> handlers = new HashMap<>(Map.of("/error", errors, "/**", api));
        // Where operators do not expose health at all, nobody is told it here either.
        health.ifAvailable(
                checks -> {
                    HealthPages pages = new HealthPages(checks, groups.getObject());
                    HealthPages.paths().forEach(path -> handlers.put(path, pages));
                });
        SimpleUrlHandlerMapping mapping =
                new SimpleUrlHandlerMapping(handlers, FIRST_AFTER_CONTROLLERS);
        mapping.setDefaultHandler(api);
        return mapping;
    }
}
