package io.kubemirror.api.server;

import io.kubemirror.access.Hosts;
import io.kubemirror.api.http.ClientMemory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Registers the filter of the management port, or of the actuator paths if the actuator has no
 * separate port. Registered with Boot as part of the management context, which uses only its own
 * filters. This class is not annotated with {@code @Configuration}, because component scanning
 * would apply it to the API's port too.
 */
class ManagementFilterConfiguration {

    private static final String HEALTH = "health";

    @Bean
    FilterRegistrationBean<ManagementFilter> managementFilter(
            PathMappedEndpoints endpoints,
            ObjectProvider<Hosts> hosts,
            AuthenticationFilter authenticationFilter,
            ManagementConnections connections,
            Environment environment) {
        String context = environment.getProperty("management.server.base-path", "");
        Set<String> open =
                Stream.of(HEALTH, "info", "prometheus")
                        .map(EndpointId::of)
                        .map(endpoints::getPath)
                        .filter(Objects::nonNull)
                        .map(path -> context + path)
                        .collect(Collectors.toSet());
        String health = context + endpoints.getPath(EndpointId.of(HEALTH));
        Hosts loopback =
                new Hosts(Hosts.Reach.LOOPBACK, hosts.getIfAvailable(Hosts::loopback).further());
        FilterRegistrationBean<ManagementFilter> registration =
                new FilterRegistrationBean<>(
                        new ManagementFilter(
                                open,
                                health,
                                new OriginGuard(() -> loopback),
                                authenticationFilter,
                                connections));
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        String base = endpoints.getBasePath();
        registration.addUrlPatterns(
                ManagementPortType.get(environment) == ManagementPortType.SAME
                        ? base + "/*"
                        : "/*");
        return registration;
    }

    /**
     * If the actuator has no separate port, its connections are tracked as connections of the API.
     */
    @Bean
    ManagementConnections managementConnections(
            ObjectProvider<ConnectionProperties> limits,
            ClientMemory memory,
            ConnectionMeters meters,
            Environment environment) {
        return new ManagementConnections(
                ManagementPortType.get(environment) == ManagementPortType.DIFFERENT,
                limits.getIfAvailable(ConnectionProperties::standard),
                memory,
                meters,
                System::nanoTime);
    }

    @Bean
    CertificateRotation managementCertificateRotation(SslBundles bundles) {
        return new CertificateRotation(bundles);
    }
}
