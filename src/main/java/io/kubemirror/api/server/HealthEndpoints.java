package io.kubemirror.api.server;

import io.kubemirror.api.http.PercentEncoding;
import io.kubemirror.api.http.Query;
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

import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Health where Kubernetes clients ask for it, in the words of the API server (list-watch.md#di-14):
 * {@code ok}, or with {@code ?verbose} and after a failure a line for each check. Why a check fails
 * is not told here.
 *
 * <p>Rejected: Boot's own additional paths, which answer in JSON that no Kubernetes client reads.
 */
public final class HealthEndpoints implements HttpRequestHandler {

    private static final String LIVENESS = "liveness";
    private static final String READINESS = "readiness";

    /** The groups of checks that are told at each path; the oldest path tells what the API does. */
    private static final Map<String, String> GROUPS =
            Map.of("/livez", LIVENESS, "/readyz", READINESS, "/healthz", READINESS);

    private static final Map<String, String> HEADERS = Map.of("X-Content-Type-Options", "nosniff");

    private final HealthEndpoint health;
    private final HealthEndpointGroups groups;

    /**
     * The pages.
     *
     * @param health checks
     * @param groups knows the code that each outcome has
     */
    public HealthEndpoints(HealthEndpoint health, HealthEndpointGroups groups) {
        this.health = health;
        this.groups = groups;
    }

    /** Where health is told. */
    public static Set<String> paths() {
        return GROUPS.keySet();
    }

    /** Whether a request is for one of these pages, however its path is escaped. */
    static boolean areAskedFor(HttpServletRequest request) {
        return GROUPS.containsKey(path(request));
    }

    private static String path(HttpServletRequest request) {
        String uri = request.getRequestURI();
        return PercentEncoding.decodePath(uri).orElse(uri);
    }

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        boolean verbose = Query.parse(request.getQueryString()).get("verbose").isPresent();
        // Spring ignores path parameters, which are part of a segment here as in the API server.
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
