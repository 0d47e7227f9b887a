package io.kubemirror.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kubemirror.model.ResourceType;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the numbers of open watches from the metrics of an API server, in the text format of
 * Prometheus. The metrics of a large cluster are many megabytes, so they are read line by line, and
 * nothing is kept of lines that do not count watches.
 */
final class WatchCountReader {

    private static final byte[] METRIC = "apiserver_longrunning_requests{".getBytes(UTF_8);

    /**
     * The maximum length of a line that is read. Names of resources and groups are much shorter.
     */
    private static final int MAX_LINE = 4 * 1024;

    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

    private final InputStream metrics;
    private final Set<ResourceType> types;
    private final byte[] line = new byte[MAX_LINE];
    private final Map<ResourceType, Long> counts = new HashMap<>();

    private WatchCountReader(InputStream metrics, Set<ResourceType> types) {
        this.metrics = new BufferedInputStream(metrics);
        this.types = types;
    }

    /**
     * Reads the metrics to their end.
     *
     * @param types the types to count watches of
     * @return the number of watches of each type; empty if the server does not count any
     * @throws IOException if the metrics cannot be read
     */
    static Map<ResourceType, Long> read(InputStream metrics, Set<ResourceType> types)
            throws IOException {
        WatchCountReader reader = new WatchCountReader(metrics, types);
        reader.readAll();
        return reader.counts;
    }

    private void readAll() throws IOException {
        int length = 0;
        for (int next = metrics.read(); next >= 0; next = metrics.read()) {
            if (next == '\n') {
                count(length);
                length = 0;
            } else if (length < MAX_LINE && mayCount(length, next)) {
                line[length++] = (byte) next;
            } else {
                length = MAX_LINE;
            }
        }
    }

    /** Returns whether the line may still be one of the metric. */
    private static boolean mayCount(int length, int next) {
        return length >= METRIC.length || METRIC[length] == next;
    }

    private void count(int length) {
        if (length > METRIC.length && length < MAX_LINE) {
            String text = new String(line, METRIC.length, length - METRIC.length, UTF_8);
            int end = text.indexOf('}');
            if (end > 0) {
                count(labels(text.substring(0, end)), text.substring(end + 1).strip());
            }
        }
    }

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new HashMap<>();
        Matcher label = LABEL.matcher(text);
        while (label.find()) {
            labels.put(label.group(1), label.group(2));
        }
        return labels;
    }

    private void count(Map<String, String> labels, String value) {
        if (counts.isEmpty()) {
            types.forEach(type -> counts.put(type, 0L));
        }
        if (!"WATCH".equals(labels.get("verb")) || !value.matches("\\d{1,12}")) {
            return;
        }
        for (ResourceType type : types) {
            if (type.plural().equals(labels.get("resource"))
                    && type.group().equals(labels.get("group"))) {
                counts.merge(type, Long.parseLong(value), Long::sum);
            }
        }
    }
}
