package io.kubemirror.feature.scrape;

import module java.base;

import io.kubemirror.api.http.Reply;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.server.Ssl;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * Answers {@code /metrics} on the port of the API, where a scrape of an API server asks, with the
 * address of the metrics of kubemirror. With pass-through, the path is that of the API server.
 */
@RestController
final class MetricsRedirect {

    private final Environment environment;
    private final PathMappedEndpoints endpoints;

    MetricsRedirect(Environment environment, PathMappedEndpoints endpoints) {
        this.environment = environment;
        this.endpoints = endpoints;
    }

    /** Redirects to the metrics on the same host, which are on no port if they are not exposed. */
    @GetMapping("/metrics")
    void metrics(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Integer port = environment.getProperty("local.management.port", Integer.class);
        String path = endpoints.getPath(EndpointId.of("prometheus"));
        Reply reply =
                port == null || path == null
                        ? Reply.NOT_A_PAGE
                        : redirect(address(request.getServerName(), port, path));
        reply.send(response);
    }

    private String address(String host, int port, String path) {
        boolean encrypted =
                Binder.get(environment)
                        .bind("management.server.ssl", Ssl.class)
                        .map(ssl -> Ssl.isEnabled(ssl))
                        .orElse(false);
        return UriComponentsBuilder.newInstance()
                .scheme(encrypted ? "https" : "http")
                .host(host)
                .port(port)
                .path(environment.getProperty("management.server.base-path", ""))
                .path(path)
                .toUriString();
    }

    private static Reply redirect(String address) {
        return Reply.text(
                HttpServletResponse.SC_TEMPORARY_REDIRECT,
                "The metrics of kubemirror are at " + address + "\n",
                Map.of("Location", address));
    }
}
