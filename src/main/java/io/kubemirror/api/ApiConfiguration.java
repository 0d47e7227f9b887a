package io.kubemirror.api;

import io.kubemirror.access.AccessControl;
import io.kubemirror.access.Hosts;
import io.kubemirror.api.encode.CustomTableFormats;
import io.kubemirror.api.encode.DocumentEncoder;
import io.kubemirror.api.encode.EntityTags;
import io.kubemirror.api.encode.PrinterColumns;
import io.kubemirror.api.http.ApiTimings;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.RequestMeters;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.proxy.ProxyPolicy;
import io.kubemirror.api.proxy.ReadRouter;
import io.kubemirror.api.proxy.UpstreamProxy;
import io.kubemirror.api.proxy.VersionEndpoint;
import io.kubemirror.api.read.CollectionRequestParser;
import io.kubemirror.api.read.DiscoveryDocuments;
import io.kubemirror.api.read.DiscoveryReads;
import io.kubemirror.api.read.FieldSupport;
import io.kubemirror.api.read.GetResolver;
import io.kubemirror.api.read.ListResolver;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.read.ReadPolicies;
import io.kubemirror.api.read.RevisionWait;
import io.kubemirror.api.read.ServedRevisions;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.api.server.AcceptFailures;
import io.kubemirror.api.server.ApiFilter;
import io.kubemirror.api.server.AuthenticationFilter;
import io.kubemirror.api.server.CertificateRotation;
import io.kubemirror.api.server.ConnectionLimiter;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionProperties;
import io.kubemirror.api.server.ConnectionMeters;
import io.kubemirror.api.server.ErrorResponses;
import io.kubemirror.api.server.GracefulShutdown;
import io.kubemirror.api.server.GracefulShutdown.ShutdownProperties;
import io.kubemirror.api.server.HealthEndpoints;
import io.kubemirror.api.server.JettySettings;
import io.kubemirror.api.server.OriginGuard;
import io.kubemirror.api.server.PermissionRechecker;
import io.kubemirror.api.watch.WatchExecutor;
import io.kubemirror.api.watch.WatchMeters;
import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.api.watch.WatchService;
import io.kubemirror.api.watch.WatchStartResolver;
import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Sleeper;
import io.kubemirror.upstream.UpstreamApi;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** Configures the read API. */
@Configuration(proxyBeanMethods = false)
class ApiConfiguration {

    /** Mapped controllers have order 0. */
    private static final int FIRST_AFTER_CONTROLLERS = 1;

    private static final Executor THREADS = task -> Thread.ofVirtual().name("request").start(task);

    @Bean
    JettySettings jettySettings(ConnectionLimiter connections) {
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
    ConnectionLimiter connections(
            ObjectProvider<ConnectionProperties> limits,
            ClientMemory memory,
            ConnectionMeters meters) {
        return new ConnectionLimiter(
                limits.getIfAvailable(ConnectionProperties::standard),
                memory,
                meters,
                System::nanoTime);
    }

    @Bean
    ApiFilter apiFilter(
            RequestTracker requests,
            ConnectionLimiter connections,
            ObjectProvider<Hosts> hosts,
            AuthenticationFilter authenticationFilter) {
        // Resolved lazily, because Jetty would wrap a configuration error in a long message when it
        // starts the filter.
        OriginGuard originGuard =
                new OriginGuard(SingletonSupplier.of(() -> hosts.getIfAvailable(Hosts::loopback)));
        return new ApiFilter(requests, connections, originGuard, authenticationFilter);
    }

    @Bean
    AuthenticationFilter authenticationFilter(ObjectProvider<AccessControl> access) {
        return new AuthenticationFilter(
                SingletonSupplier.of(() -> access.getIfAvailable(AccessControl.Open::new)),
                THREADS);
    }

    @Bean
    PermissionRechecker permissionRechecker(
            ObjectProvider<AccessControl> access,
            WatchRegistry watches,
            ObjectProvider<Sleeper> sleeper) {
        return new PermissionRechecker(
                access.getIfAvailable(AccessControl.Open::new),
                watches,
                sleeper.getIfAvailable(() -> Thread::sleep));
    }

    @Bean
    RequestTracker requestTracker() {
        return new RequestTracker();
    }

    @Bean
    GracefulShutdown shutdown(
            ObjectProvider<ShutdownProperties> plan,
            WatchRegistry watches,
            RequestTracker requests,
            ObjectProvider<Sleeper> sleeper) {
        return new GracefulShutdown(
                plan.getIfAvailable(() -> ShutdownProperties.IMMEDIATE),
                watches,
                requests,
                sleeper.getIfAvailable(() -> Thread::sleep));
    }

    @Bean
    WatchRegistry watchRegistry() {
        return new WatchRegistry(System::nanoTime);
    }

    @Bean
    MirrorDirectory mirrorDirectory(List<Mirror> mirrors) {
        return new MirrorDirectory(mirrors, System::nanoTime);
    }

    @Bean
    ServedRevisions servedRevisions() {
        return new ServedRevisions();
    }

    @Bean
    ReadRouter readRouter(
            UpstreamApi api,
            ReadPolicies policies,
            InstantSource clock,
            ServedRevisions served,
            ClientMemory memory,
            ObjectProvider<ApiTimings> timing) {
        RevisionWait revisionWait =
                new RevisionWait(timing.getIfAvailable(ApiTimings::standard).freshness());
        return new ReadRouter(
                new ProxyPolicy(api, policies, served, revisionWait, THREADS),
                new UpstreamProxy(api, served, THREADS, memory.proxied()),
                new StalenessPolicy(policies, clock));
    }

    @Bean
    WatchMeters watchMeters(List<Mirror> mirrors, MeterRegistry registry, WatchRegistry watches) {
        return new WatchMeters(mirrors, registry, watches, System::nanoTime);
    }

    @Bean
    WatchService watchService(
            MirrorDirectory directory,
            WatchRegistry watches,
            WatchMeters meters,
            RandomGenerator random,
            ServedRevisions served,
            WatchExecutor executor,
            RequestTracker requests,
            InstantSource clock,
            ObjectProvider<ApiTimings> timing) {
        ApiTimings used = timing.getIfAvailable(ApiTimings::standard);
        return new WatchService(
                new WatchStartResolver(directory, new RevisionWait(used.freshness()), served),
                watches,
                meters,
                executor,
                requests,
                new WatchService.Clockwork(used, System::nanoTime, clock, random));
    }

    @Bean
    WatchExecutor watchExecutor() {
        return new WatchExecutor(Runtime.getRuntime().availableProcessors());
    }

    @Bean
    DocumentEncoder documentEncoder(
            PrinterColumns columns, InstantSource clock, RandomGenerator random) {
        return new DocumentEncoder(
                new EntityTags(random.nextLong()),
                new CustomTableFormats(columns, System::nanoTime),
                clock);
    }

    @Bean
    KubeApiController kubeApiController(
            MirrorDirectory directory,
            FieldSupport support,
            WatchService watches,
            DocumentEncoder encoder,
            ReadRouter router,
            UpstreamApi api,
            KubeApiController.Threads threads,
            WatchMeters meters,
            ObjectProvider<ApiTimings> timing) {
        RevisionWait revisionWait =
                new RevisionWait(timing.getIfAvailable(ApiTimings::standard).freshness());
        return new KubeApiController(
                directory,
                new DiscoveryReads(new DiscoveryDocuments(directory)),
                new MirroredResourceHandler(
                        new CollectionRequestParser(support),
                        new GetResolver(directory, revisionWait),
                        new ListResolver(
                                directory, revisionWait, mirror -> meters.of(mirror).pin()),
                        watches,
                        encoder,
                        router),
                new VersionEndpoint(api, System::nanoTime, THREADS),
                threads);
    }

    @Bean
    KubeApiController.Threads threads(
            RequestTracker requests, MeterRegistry registry, ClientMemory memory) {
        return new KubeApiController.Threads(
                THREADS, requests, new RequestMeters(registry, System::nanoTime), memory);
    }

    @Bean
    ErrorResponses errorResponses() {
        return new ErrorResponses();
    }

    /** Ordered after all mapped controllers, so that other features can serve their own pages. */
    @Bean
    SimpleUrlHandlerMapping kubeApiMapping(
            KubeApiController api,
            ErrorResponses errors,
            ObjectProvider<HealthEndpoint> health,
            ObjectProvider<HealthEndpointGroups> groups) {
        Map<String, Object> handlers = new HashMap<>(Map.of("/error", errors, "/**", api));
        // If operators do not expose health at all, these paths do not expose it either.
        health.ifAvailable(
                checks -> {
                    HealthEndpoints pages = new HealthEndpoints(checks, groups.getObject());
                    HealthEndpoints.paths().forEach(path -> handlers.put(path, pages));
                });
        SimpleUrlHandlerMapping mapping =
                new SimpleUrlHandlerMapping(handlers, FIRST_AFTER_CONTROLLERS);
        mapping.setDefaultHandler(api);
        return mapping;
    }
}
