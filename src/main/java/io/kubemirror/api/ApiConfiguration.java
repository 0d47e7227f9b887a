package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.encode.DocumentEncoder;
import io.kubemirror.api.encode.Rendering;
import io.kubemirror.api.encode.SharedBodies;
import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestMeters;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.DiscoveryEndpoints;
import io.kubemirror.api.read.Floors;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.read.ReadPlanner;
import io.kubemirror.api.read.ReadPlanner.Forwarder;
import io.kubemirror.api.read.ReadPlanner.OnDemandTypes;
import io.kubemirror.api.read.RevisionProbe;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.api.server.ApiFilter;
import io.kubemirror.api.server.AuthenticationFilter;
import io.kubemirror.api.server.GracefulShutdown;
import io.kubemirror.api.server.HealthEndpoints;
import io.kubemirror.api.server.JettySettings;
import io.kubemirror.api.server.JettySettings.CertificateRotation;
import io.kubemirror.api.server.OriginGuard;
import io.kubemirror.api.server.OriginGuard.Hosts;
import io.kubemirror.api.server.PermissionRechecker;
import io.kubemirror.api.server.RequestHandler;
import io.kubemirror.api.watch.WatchExecutor;
import io.kubemirror.api.watch.WatchMeters;
import io.kubemirror.api.watch.WatchProperties;
import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.api.watch.WatchService;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.PeriodicThread;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.kubemirror.model.Revision;
import io.kubemirror.source.Source;
import io.micrometer.core.instrument.MeterRegistry;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/** Configures the read API. Imported classes are created with the other beans. */
@Configuration(proxyBeanMethods = false)
@Import({
    CertificateRotation.class,
    ApiConfiguration.ErrorResponses.class,
    GracefulShutdown.class,
    JettySettings.class,
    KubernetesApiController.class,
    RequestMeters.class,
    RequestTracker.class,
    SharedBodies.class,
    ReadPlanner.class,
    StalenessPolicy.class,
    WatchMeters.class,
    WatchService.class,
})
class ApiConfiguration {

    /** The order of pages that no controller replaces. That of mapped controllers is 0. */
    private static final int BEFORE_CONTROLLERS = -1;

    private static final Executor THREADS = task -> Thread.ofVirtual().name("request").start(task);

    @Bean
    MirrorDirectory mirrorDirectory(
            MirrorSet mirrors,
            LongSupplier nanos,
            ObjectProvider<AuthenticationFilter> authentication) {
        return new MirrorDirectory(mirrors, nanos, () -> authentication.getObject().isOpen());
    }

    @Bean
    @Fallback
    ClientMemory clientMemoryParts(
            @Qualifier("clientMemory") ObjectProvider<MemoryBudget> clientMemory) {
        return ClientMemory.of(clientMemory.getIfAvailable(MemoryBudget::unlimited));
    }

    /** The watches of a mirror end with it. */
    @Bean
    WatchRegistry watchRegistry(MirrorSet mirrors, LongSupplier nanoTime) {
        WatchRegistry watches = new WatchRegistry(nanoTime);
        mirrors.listen(watches);
        return watches;
    }

    /** A monotonic clock. */
    @Bean
    @Fallback
    LongSupplier nanoTime() {
        return System::nanoTime;
    }

    @Bean
    @Fallback
    Sleeper defaultSleeper() {
        return Thread::sleep;
    }

    @Bean
    @Fallback
    OnDemandTypes noTypesOnDemand() {
        return OnDemandTypes.NONE;
    }

    /** By its name, it replaces that of the framework. */
    @Bean(name = DispatcherServletAutoConfiguration.DEFAULT_DISPATCHER_SERVLET_BEAN_NAME)
    DispatcherServlet apiServlet() {
        return new ApiServlet();
    }

    @Bean
    ApiFilter apiFilter(
            RequestTracker requests,
            ObjectProvider<Hosts> hosts,
            AuthenticationFilter authenticationFilter,
            ObjectProvider<RequestHandler> all,
            ObjectProvider<MirrorDirectory> directory) {
        Supplier<List<RequestHandler>> handlers =
                SingletonSupplier.of(() -> all.orderedStream().toList());
        // Resolved lazily, because Jetty would wrap a configuration error in a long message when it
        // starts the filter.
        OriginGuard originGuard =
                new OriginGuard(
                        SingletonSupplier.of(hosts::getObject),
                        () -> handlers.get().stream().anyMatch(RequestHandler::hasEffects));
        return new ApiFilter(
                requests,
                originGuard,
                authenticationFilter,
                handlers,
                SingletonSupplier.of(directory::getObject));
    }

    @Bean
    AuthenticationFilter authenticationFilter(ObjectProvider<AccessControl> access) {
        return new AuthenticationFilter(
                SingletonSupplier.of(() -> access.getIfAvailable(() -> AccessControl.OPEN)));
    }

    @Bean
    PermissionRechecker permissionRechecker(
            AuthenticationFilter authentication,
            WatchRegistry watches,
            RequestTracker requests,
            Sleeper sleeper) {
        return new PermissionRechecker(authentication.access(), watches, requests, sleeper);
    }

    @Bean(initMethod = "start")
    PeriodicThread watchRebalancer(
            WatchRegistry watches, WatchProperties properties, Sleeper sleeper) {
        Duration second = Duration.ofSeconds(1);
        int share = properties.rebalanceAbove();
        PeriodicThread.Task task =
                () -> {
                    if (share > 0) {
                        watches.rebalance(share);
                    }
                    return second;
                };
        return new PeriodicThread("watch-rebalancer", task, second, sleeper);
    }

    @Bean
    RequestExecutor requestExecutor(
            RequestTracker requests, ClientMemory memory, MeterRegistry registry) {
        return new RequestExecutor(THREADS, requests, memory, registry);
    }

    /** That of the API server (list-watch.md#li-20). */
    @Bean
    @Fallback
    Duration waitForRevision() {
        return Duration.ofSeconds(3);
    }

    @Bean
    Floors floors(
            MirrorSet mirrors,
            Source api,
            Duration patience,
            BiConsumer<Mirror, Revision> progress,
            LongSupplier nanoTime) {
        return new Floors(mirrors, new RevisionProbe(api, THREADS), patience, progress, nanoTime);
    }

    @Bean
    @Fallback
    Forwarder mirrorsOnly() {
        return Forwarder.NONE;
    }

    @Bean
    DiscoveryEndpoints discoveryEndpoints(MirrorDirectory directory) {
        return new DiscoveryEndpoints(directory);
    }

    @Bean
    WatchExecutor watchExecutor() {
        return new WatchExecutor(Runtime.getRuntime().availableProcessors());
    }

    @Bean
    DocumentEncoder documentEncoder(
            ObjectProvider<Rendering> renderings, RandomGenerator random, SharedBodies bodies) {
        return new DocumentEncoder(
                Long.toHexString(random.nextLong()), renderings.orderedStream().toList(), bodies);
    }

    @Bean
    SimpleUrlHandlerMapping pages(
            ErrorResponses errors,
            ObjectProvider<HealthEndpoint> health,
            ObjectProvider<HealthEndpointGroups> groups) {
        Map<String, Object> handlers = new HashMap<>(Map.of("/error", errors));
        // If operators do not expose health at all, these paths do not expose it either.
        health.ifAvailable(
                checks -> {
                    HealthEndpoints pages = new HealthEndpoints(checks, groups.getObject());
                    HealthEndpoints.paths().forEach(path -> handlers.put(path, pages));
                });
        return new SimpleUrlHandlerMapping(handlers, BEFORE_CONTROLLERS);
    }

    /**
     * The servlet of the API's port. {@code OPTIONS} is handled as all methods are: the framework
     * would add an {@code Allow} of its own.
     */
    private static final class ApiServlet extends DispatcherServlet {

        private static final long serialVersionUID = 1L;

        @Override
        protected void doOptions(HttpServletRequest request, HttpServletResponse response)
                throws ServletException, IOException {
            processRequest(request, response);
        }
    }

    /**
     * Answers requests that fail outside of kubemirror's own code with a Status instead of Boot's
     * error page (list-watch.md#tr-1).
     */
    static final class ErrorResponses implements ErrorController, HttpRequestHandler {

        @Override
        public void handleRequest(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            response.setHeader("Cache-Control", "no-cache, private");
            reply(request).toSender(ParsedRequest.of(request)).send(response);
        }

        private static Reply reply(HttpServletRequest request) {
            Object code = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
            if (request.getDispatcherType() != DispatcherType.ERROR || code == null) {
                return Reply.NOT_A_PAGE;
            }
            return switch (code) {
                case Integer failed when failed == 404 -> Reply.NOT_A_PAGE;
                case Integer failed when failed == 405 -> Reply.of(StatusErrors.methodNotAllowed());
                case Integer failed when failed < 500 ->
                        Reply.of(StatusErrors.badRequest("cannot parse the request"));
                default -> Reply.of(StatusErrors.internal("see the log of kubemirror"));
            };
        }
    }
}
