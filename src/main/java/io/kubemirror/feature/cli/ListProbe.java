package io.kubemirror.feature.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The results of lists of a mirror through its own API, of one object and of all objects in turn. A
 * single sample would show the first connection and a cold JVM rather than the mirror.
 *
 * @param mirror the mirror's name
 * @param one the durations of the lists of one object, ascending
 * @param all the durations of the lists of all objects, ascending
 * @param bytes the size of the last list of all objects
 * @param state the freshness that the last response reports
 * @param problem why there is no response, empty if there is one
 */
record ListProbe(
        String mirror,
        List<Duration> one,
        List<Duration> all,
        long bytes,
        String state,
        String problem) {

    /** The number of lists of each kind. */
    static final int SAMPLES = 5;

    /** The time after which no further list is begun, because the collection is large. */
    private static final Duration ENOUGH = Duration.ofSeconds(5);

    /** Sorts the durations. */
    ListProbe {
        one = one.stream().sorted().toList();
        all = all.stream().sorted().toList();
    }

    /** Requests the lists. */
    static ListProbe of(String mirror, URI list, DiagnoseClient client) {
        URI first = URI.create(list + (list.getQuery() == null ? "?" : "&") + "limit=1");
        List<Duration> one = new ArrayList<>();
        List<Duration> all = new ArrayList<>();
        long begun = System.nanoTime();
        try {
            ListResponse last;
            do {
                one.add(request(first, client).duration());
                last = request(list, client);
                all.add(last.duration());
            } while (all.size() < SAMPLES && System.nanoTime() - begun < ENOUGH.toNanos());
            return new ListProbe(mirror, one, all, last.bytes(), last.state(), "");
        } catch (IOException unanswered) {
            return new ListProbe(mirror, one, all, 0, "", DiagnoseClient.why(unanswered));
        }
    }

    boolean answered() {
        return problem.isEmpty();
    }

    private static ListResponse request(URI list, DiagnoseClient client) throws IOException {
        long begun = System.nanoTime();
        HttpResponse<InputStream> answer = client.get(list, BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
            if (answer.statusCode() != 200) {
                throw new IOException("HTTP " + answer.statusCode());
            }
            long bytes = body.transferTo(OutputStream.nullOutputStream());
            return new ListResponse(
                    Duration.ofNanos(System.nanoTime() - begun),
                    bytes,
                    "%s at %s, last contact %s s ago"
                            .formatted(
                                    header(answer, "Kubemirror-State"),
                                    header(answer, "Kubemirror-Revision"),
                                    header(answer, "Kubemirror-Upstream-Age")));
        }
    }

    private static String header(HttpResponse<?> answer, String name) {
        return answer.headers().firstValue(name).orElse("?");
    }

    private record ListResponse(Duration duration, long bytes, String state) {}
}
