package io.kubemirror.ops.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * Two lists of a mirror by its own API, of one object and of all, and how long they took.
 *
 * @param mirror the mirror's name
 * @param one how long the list of one object took
 * @param all how long the list of all took
 * @param bytes the size of the latter
 * @param state what it says of its own freshness
 * @param problem why there is no answer, empty if there is
 */
record ListProbe(
        String mirror, Duration one, Duration all, long bytes, String state, String problem) {

    /** Tries it. */
    static ListProbe of(String mirror, URI list, DiagnoseClient client) {
        try {
            ListSample one = sample(URI.create(list + "?limit=1"), client);
            ListSample all = sample(list, client);
            return new ListProbe(
                    mirror, one.duration(), all.duration(), all.bytes(), all.state(), "");
        } catch (IOException unanswered) {
            return new ListProbe(
                    mirror, Duration.ZERO, Duration.ZERO, 0, "", DiagnoseClient.why(unanswered));
        }
    }

    boolean answered() {
        return problem.isEmpty();
    }

    private record ListSample(Duration duration, long bytes, String state) {}

    private static ListSample sample(URI list, DiagnoseClient client) throws IOException {
        long begun = System.nanoTime();
        HttpResponse<InputStream> answer = client.open(list);
        try (InputStream body = answer.body()) {
            if (answer.statusCode() != 200) {
                throw new IOException("HTTP " + answer.statusCode());
            }
            long bytes = body.transferTo(OutputStream.nullOutputStream());
            return new ListSample(
                    Duration.ofNanos(System.nanoTime() - begun),
                    bytes,
                    "%s at %s, server heard of %s s ago"
                            .formatted(
                                    header(answer, "Kubemirror-State"),
                                    header(answer, "Kubemirror-Revision"),
                                    header(answer, "Kubemirror-Upstream-Age")));
        }
    }

    private static String header(HttpResponse<?> answer, String name) {
        return answer.headers().firstValue(name).orElse("?");
    }
}
