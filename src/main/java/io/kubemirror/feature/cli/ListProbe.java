package io.kubemirror.feature.cli;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

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
 * Lists a mirror through its own API, one object and all objects in turn. A single sample would
 * show the first connection and a cold JVM rather than the mirror.
 */
final class ListProbe {

    /** The number of lists of each kind. */
    private static final int SAMPLES = 5;

    /** The time after which no further list is begun, because the collection is large. */
    private static final Duration ENOUGH = Duration.ofSeconds(5);

    private final DiagnoseClient client;
    private long bytes;
    private String state = "";

    ListProbe(DiagnoseClient client) {
        this.client = client;
    }

    /**
     * Requests the lists of a mirror, and describes their durations, and the size and the state of
     * the last one.
     *
     * @throws IOException if one fails
     */
    ObjectNode list(String mirror, URI list) throws IOException {
        URI first = URI.create(list + (list.getQuery() == null ? "?" : "&") + "limit=1");
        List<Double> one = new ArrayList<>();
        List<Double> all = new ArrayList<>();
        long begun = System.nanoTime();
        do {
            one.add(seconds(first));
            all.add(seconds(list));
        } while (all.size() < SAMPLES && System.nanoTime() - begun < ENOUGH.toNanos());
        ObjectNode result = JsonMapper.shared().createObjectNode().put("mirror", mirror);
        result.put("samples", all.size()).put("bytes", bytes).put("state", state);
        return result.set("one", spread(one)).set("all", spread(all));
    }

    private static ObjectNode spread(List<Double> seconds) {
        List<Double> sorted = seconds.stream().sorted().toList();
        return JsonMapper.shared()
                .createObjectNode()
                .put("min", sorted.getFirst())
                .put("median", sorted.get(sorted.size() / 2))
                .put("max", sorted.getLast());
    }

    private double seconds(URI list) throws IOException {
        long begun = System.nanoTime();
        HttpResponse<InputStream> answer = client.get(list, BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
            if (answer.statusCode() != 200) {
                throw new IOException("HTTP " + answer.statusCode());
            }
            bytes = body.transferTo(OutputStream.nullOutputStream());
            state =
                    "%s at %s, last contact %s s ago"
                            .formatted(
                                    header(answer, "Kubemirror-State"),
                                    header(answer, "Kubemirror-Revision"),
                                    header(answer, "Kubemirror-Upstream-Age"));
            return (System.nanoTime() - begun) / 1e9;
        }
    }

    private static String header(HttpResponse<?> answer, String name) {
        return answer.headers().firstValue(name).orElse("?");
    }
}
