package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.Reply;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.health.actuate.endpoint.CompositeHealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.contributor.Status;
import org.springframework.web.HttpRequestHandler;

/**
 * Serves health at the paths and in the format of the API server (list-watch.md#di-14): {@code ok},
 * or one line for each check with {@code ?verbose} and after a failure. The reason of a failure is
 * not included.
 *
 * <p>Rejected: Boot's own additional paths, because they return JSON that Kubernetes clients do not
 * read.
 *
 * @param health runs the checks
 * @param groups provides the HTTP status code of each outcome
 */
public record HealthEndpoints(HealthEndpoint health, HealthEndpointGroups groups)
        implements HttpRequestHandler {

    private static final String LIVENESS = "liveness";
    private static final String READINESS = "readiness";

    /** The health group of each path. {@code /healthz}, the oldest path, reports readiness. */
    private static final Map<String, String> GROUPS =
            Map.of("/livez", LIVENESS, "/readyz", READINESS, "/healthz", READINESS);

    private static final Map<String, String> HEADERS = Map.of("X-Content-Type-Options", "nosniff");

    /** Returns the paths of the endpoints. */
    public static Set<String> paths() {
        return GROUPS.keySet();
    }

    /** Whether a request is for one of these endpoints, however its path is escaped. */
    static boolean areAskedFor(HttpServletRequest request) {
        return GROUPS.containsKey(path(request));
    }

    private static String path(HttpServletRequest request) {
        return ParsedRequest.of(request).path().orElseGet(request::getRequestURI);
    }

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        boolean verbose = ParsedRequest.of(request).query().get("verbose").isPresent();
        // Spring ignores path parameters. Here they are part of a segment, as on the API server.
        Reply reply = areAskedFor(request) ? page(path(request), verbose) : Reply.NOT_A_PAGE;
        reply.send(response);
    }

    private Reply page(String path, boolean verbose) {
        String name = Objects.requireNonNull(GROUPS.get(path));
        HealthDescriptor checked = Objects.requireNonNull(health.healthForPath(name));
        HealthEndpointGroup group = Objects.requireNonNull(groups.get(name));
        int code = group.getHttpCodeStatusMapper().getStatusCode(checked.getStatus());
        boolean passed = code == 200;
        String text = passed && !verbose ? "ok" : report(path.substring(1), checked, passed);
        return Reply.text(code, text, HEADERS);
    }

    private static String report(String name, HealthDescriptor checked, boolean passed) {
        StringBuilder lines = new StringBuilder();
        if (checked instanceof CompositeHealthDescriptor composite
                && composite.getComponents() != null) {
            composite.getComponents().forEach((check, found) -> lines.append(line(check, found)));
        }
        return lines.append(name).append(passed ? " check passed\n" : " check failed\n").toString();
    }

    private static String line(String check, HealthDescriptor found) {
        return found.getStatus().equals(Status.UP)
                ? "[+]" + check + " ok\n"
                : "[-]" + check + " failed: reason withheld\n";
    }
}
