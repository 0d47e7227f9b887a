package io.kubemirror.app;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WatchReader;

import tools.jackson.databind.JsonNode;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Many clients that watch the same collection and record the events they receive. */
final class ManyWatchers implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final List<WatchTask> watchers;

    private ManyWatchers(List<WatchTask> watchers) {
        this.watchers = watchers;
    }

    /** Lets so many clients watch a collection from a revision on. */
    static ManyWatchers watching(RestClient client, String path, long revision, int size) {
        RestClient patient = client.patient();
        String target = path + "?watch=1&resourceVersion=" + revision;
        return new ManyWatchers(
                IntStream.range(0, size)
                        .mapToObj(_ -> WatchTask.reading(patient.watch(target)))
                        .toList());
    }

    /** Waits, for half a minute at most, until each has seen an object or its stream has ended. */
    void awaitObject(String name) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (WatchTask watcher : watchers) {
            watcher.awaitObject(name, deadline);
        }
    }

    /** What they saw in one line, the same for all if nothing went wrong. */
    String saw() {
        Map<String, Long> counts =
                watchers.stream()
                        .collect(
                                Collectors.groupingBy(
                                        WatchTask::saw, TreeMap::new, Collectors.counting()));
        return counts.entrySet().stream()
                .map(entry -> entry.getValue() + " saw " + entry.getKey())
                .collect(Collectors.joining("; "));
    }

    @Override
    public void close() {
        watchers.forEach(WatchTask::close);
    }

    /** One of them, with a thread of its own. */
    private static final class WatchTask {

        private final WatchReader reader;
        private final List<String> types = new ArrayList<>();
        private final List<String> names = new ArrayList<>();
        private long revision;
        private boolean ordered = true;
        private String end = "";

        WatchTask(WatchReader reader) {
            this.reader = reader;
        }

        static WatchTask reading(WatchReader reader) {
            WatchTask watcher = new WatchTask(reader);
            var _ = Thread.ofVirtual().start(watcher::read);
            return watcher;
        }

        private void read() {
            try {
                for (var line = reader.nextLine(); line.isPresent(); line = reader.nextLine()) {
                    note(JsonTrees.parse(line.get()));
                }
                ended("the end of its stream");
            } catch (UncheckedIOException e) {
                ended("its stream break");
            }
        }

        private synchronized void note(JsonNode event) {
            JsonNode object = event.path("object");
            long next = JsonTrees.revision(object);
            ordered &= next > revision;
            revision = next;
            types.add(event.path("type").asString());
            names.add(JsonTrees.name(object));
            notifyAll();
        }

        private synchronized void ended(String how) {
            end = how;
            notifyAll();
        }

        synchronized void awaitObject(String name, long deadline) throws InterruptedException {
            while (end.isEmpty() && !names.contains(name) && System.nanoTime() < deadline) {
                TimeUnit.NANOSECONDS.timedWait(this, deadline - System.nanoTime());
            }
        }

        synchronized String saw() {
            Map<String, Long> counts =
                    types.stream()
                            .collect(
                                    Collectors.groupingBy(
                                            Function.identity(),
                                            TreeMap::new,
                                            Collectors.counting()));
            List<String> parts = new ArrayList<>();
            counts.forEach((type, count) -> parts.add(count + " " + type));
            if (!end.isEmpty()) {
                parts.add(end);
            }
            if (!ordered) {
                parts.add("REVISIONS OUT OF ORDER");
            }
            return parts.isEmpty() ? "nothing" : String.join(", ", parts);
        }

        void close() {
            reader.close();
        }
    }
}
