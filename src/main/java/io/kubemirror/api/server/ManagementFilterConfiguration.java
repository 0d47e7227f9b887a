package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.server.JettySettings.CertificateRotation;
import io.kubemirror.api.server.OriginGuard.Hosts;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Status;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.autoconfigure.web.server.ConditionalOnManagementPort;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Registers the filter of the management port, or of the actuator paths if the actuator has no
 * separate port. Registered with Boot as part of the management context, which uses only its own
 * filters. This class is not annotated with {@code @Configuration}, because component scanning
 * would apply it to the API's port too.
 */
@Import(CertificateRotation.class)
class ManagementFilterConfiguration {

    /**
     * The maximum size of the request line and headers, in bytes: enough for a token and for the
     * headers that browsers send.
     */
    static final int HEAD = 16 * 1024;

    private static final Logger log = LoggerFactory.getLogger(ManagementFilterConfiguration.class);

    private static final String EXPOSED = "management.endpoints.web.exposure.include";

    private static final Duration IDLE_AT_LIMIT = Duration.ofSeconds(1);

    /** Others wait until one ends. */
    private static final int MAX_CONNECTIONS = 100;

    @Bean
    FilterRegistrationBean<ManagementFilter> managementFilter(
            PathMappedEndpoints endpoints,
            Hosts hosts,
            AuthenticationFilter authenticationFilter,
            Environment environment) {
        warnOfUnknown(endpoints, environment);
        String context = environment.getProperty("management.server.base-path", "");
        String base = context + endpoints.getBasePath() + "/";
        FilterRegistrationBean<ManagementFilter> registration =
                new FilterRegistrationBean<>(
                        new ManagementFilter(
                                open(context, endpoints),
                                context + endpoints.getPath(EndpointId.of("health")),
                                base,
                                new Hosts(Hosts.Reach.LOOPBACK, hosts.further()),
                                authenticationFilter));
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        boolean shared = ManagementPortType.get(environment) == ManagementPortType.SAME;
        registration.addUrlPatterns(shared ? endpoints.getBasePath() + "/*" : "/*");
        return registration;
    }

    /** Warns of names that no endpoint of this process has, which Boot ignores. */
    private static void warnOfUnknown(PathMappedEndpoints endpoints, Environment environment) {
        Set<String> named =
                Binder.get(environment)
                        .bind(EXPOSED, Bindable.setOf(String.class))
                        .orElse(Set.of());
        for (String name : named) {
            String access = environment.getProperty("management.endpoint." + name + ".access", "");
            boolean known = name.equals("*") || access.equals("none");
            if (!known && endpoints.getRootPath(EndpointId.fromPropertyValue(name)) == null) {
                Collection<String> paths = endpoints.getAllRootPaths();
                log.warn("{}: there is no endpoint {}; there are {}", EXPOSED, name, paths);
            }
        }
    }

    /** The paths that need no credentials. */
    private static Set<String> open(String context, PathMappedEndpoints endpoints) {
        return Stream.of("health", "info", "prometheus")
                .map(endpoint -> endpoints.getPath(EndpointId.of(endpoint)))
                .filter(Objects::nonNull)
                .map(context::concat)
                .collect(Collectors.toSet());
    }

    @Bean
    @ConditionalOnManagementPort(ManagementPortType.DIFFERENT)
    WebServerFactoryCustomizer<JettyServletWebServerFactory> managementServer() {
        return factory ->
                factory.addServerCustomizers(server -> customize(server, MAX_CONNECTIONS));
    }

    /**
     * Limits the connections of the management port, which has no credentials. At the limit, Jetty
     * accepts none until others end, and ends those that are silent for a second: a probe sends its
     * request at once.
     */
    static void customize(Server server, int max) {
        server.getContainedBeans(HttpConnectionFactory.class)
                .forEach(factory -> factory.getHttpConfiguration().setRequestHeaderSize(HEAD));
        NetworkConnectionLimit limit = new NetworkConnectionLimit(max, server.getConnectors());
        limit.setEndPointIdleTimeout(IDLE_AT_LIMIT.toMillis());
        server.addBean(limit);
        server.setErrorHandler(new JettySettings.PlainErrors());
        JettySettings.useVirtualThreads(server, "management-");
    }

    /**
     * The first filter of the management port. Health, version, and metrics are available from
     * anywhere and without credentials, for the kubelet and Prometheus. The diagnosis and the
     * status page are available on loopback only, and not to web pages of other origins. If
     * authentication is configured, authorized clients can also access them from elsewhere.
     *
     * <p>All other endpoints of the actuator can change the process or show its memory, as can
     * every request that does not only read. They are available on loopback only, whatever the
     * credentials, and not to any web page.
     *
     * <p>The address of a client is that of its connection. Headers such as {@code X-Forwarded-For}
     * are ignored because any client can send them.
     */
    static final class ManagementFilter extends OncePerRequestFilter {

        /** Paths without ambiguity: no dots, escapes, parameters, or empty segments. */
        private static final Pattern PLAIN = Pattern.compile("(/[A-Za-z0-9_-]+)+");

        /** Dots and parameters, by which endpoints are dispatched other than they are named. */
        private static final Pattern AMBIGUOUS = Pattern.compile("/\\.{1,2}(/|$)|;");

        /** The endpoint that authorized clients can access from elsewhere. */
        private static final String DIAGNOSIS = "mirrors";

        private static final String PASSED = ManagementFilter.class.getName();

        private final Set<String> open;
        private final String health;
        private final String base;
        private final Hosts hosts;
        private final AuthenticationFilter authenticationFilter;

        /**
         * Creates the filter.
         *
         * @param open the paths that need no credentials
         * @param health one of them; the paths below it need no credentials either
         * @param base the beginning of the paths of all endpoints
         * @param hosts the accepted host names
         * @param authenticationFilter checks the credentials of other requests
         */
        ManagementFilter(
                Set<String> open,
                String health,
                String base,
                Hosts hosts,
                AuthenticationFilter authenticationFilter) {
            this.open = Set.copyOf(open);
            this.health = health;
            this.base = base;
            this.hosts = hosts;
            this.authenticationFilter = authenticationFilter;
        }

        @Override
        protected void doFilterInternal(
                HttpServletRequest request, HttpServletResponse response, FilterChain further)
                throws IOException, ServletException {
            Optional<String> path = ParsedRequest.of(request).path();
            if (path.isEmpty() || AMBIGUOUS.matcher(path.get()).find()) {
                Reply.BAD_REQUEST.send(response);
                return;
            }
            Optional<Status> refusal = refusal(request);
            if (refusal.isPresent()) {
                response.setHeader("Cache-Control", "no-cache, private");
                if (authenticationFilter.isOpen() || isLocal(request)) {
                    Reply.of(refusal.get()).send(response);
                    return;
                }
                Permission wanted = new Permission.OnPath(request.getRequestURI());
                if (!authenticationFilter.admit(request, response, List.of(wanted))) {
                    return;
                }
            }
            request.setAttribute(PASSED, true);
            further.doFilter(request, response);
        }

        /**
         * Whether this filter has admitted the request. The filter of the API's port does not check
         * it again.
         */
        static boolean hasPassed(HttpServletRequest request) {
            return request.getAttribute(PASSED) != null;
        }

        /** Returns why a request without credentials is refused, if it is. */
        private Optional<Status> refusal(HttpServletRequest request) {
            boolean local = isLocal(request);
            boolean near = isFromLoopback(request);
            boolean open = !local && isOpen(request.getRequestURI());
            if (!near) {
                return open ? Optional.empty() : Optional.of(StatusErrors.onlyFromLoopback());
            }
            // The proxy of a mesh passes probes on from loopback, which name the address of the
            // pod.
            Hosts named = open ? new Hosts(Hosts.Reach.NETWORK, hosts.further()) : hosts;
            return new OriginGuard(() -> named, () -> local).refusal(request);
        }

        /**
         * Whether a request is for loopback only. What is matched is the decoded path, by which the
         * request is dispatched.
         */
        private boolean isLocal(HttpServletRequest request) {
            String more = request.getPathInfo();
            String path = request.getServletPath() + (more == null ? "" : more);
            boolean reads = Set.of("GET", "HEAD").contains(request.getMethod());
            boolean remote =
                    open.contains(path)
                            || path.startsWith(health + "/")
                            || path.equals(base + DIAGNOSIS)
                            || path.startsWith(base + DIAGNOSIS + "/");
            return !reads || (path.startsWith(base) && path.length() > base.length() && !remote);
        }

        private boolean isOpen(String path) {
            return PLAIN.matcher(path).matches()
                    && (open.contains(path) || path.startsWith(health + "/"));
        }

        private static boolean isFromLoopback(HttpServletRequest request) {
            return switch (Exchange.endPoint(request).getRemoteSocketAddress()) {
                case InetSocketAddress address ->
                        address.getAddress() != null && address.getAddress().isLoopbackAddress();
                case null, default -> false;
            };
        }
    }
}
