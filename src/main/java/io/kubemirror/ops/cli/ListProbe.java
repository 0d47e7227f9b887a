package io.kubemirror.ops.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/**
 * The results of two lists of a mirror through its own API, of one object and of all objects.
 *
 * @param mirror the mirror's name
 * @param one the duration of the list of one object
 * @param all the duration of the list of all objects
 * @param bytes the size of the list of all objects
 * @param state the freshness that the response reports
 * @param problem why there is no response, empty if there is one
 */
record ListProbe(
        String mirror, Duration one, Duration all, long bytes, String state, String problem) {

    /** Requests both lists. */
    static ListProbe of(String mirror, URI list, DiagnoseClient client) {
        try {
            ListProbe one = sample(mirror, Duration.ZERO, URI.create(list + "?limit=1"), client);
            return sample(mirror, one.all(), list, client);
        } catch (IOException unanswered) {
            return new ListProbe(
                    mirror, Duration.ZERO, Duration.ZERO, 0, "", DiagnoseClient.why(unanswered));
        }
    }

    boolean answered() {
        return problem.isEmpty();
    }

    private static ListProbe sample(String mirror, Duration one, URI list, DiagnoseClient client)
            throws IOException {
        long begun = System.nanoTime();
        HttpResponse<InputStream> answer = client.get(list, BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
            if (answer.statusCode() != 200) {
                throw new IOException("HTTP " + answer.statusCode());
            }
            long bytes = body.transferTo(OutputStream.nullOutputStream());
            return new ListProbe(
                    mirror,
                    one,
                    Duration.ofNanos(System.nanoTime() - begun),
                    bytes,
                    "%s at %s, last contact %s s ago"
                            .formatted(
                                    header(answer, "Kubemirror-State"),
                                    header(answer, "Kubemirror-Revision"),
                                    header(answer, "Kubemirror-Upstream-Age")),
                    "");
        }
    }

    private static String header(HttpResponse<?> answer, String name) {
        return answer.headers().firstValue(name).orElse("?");
    }
}
