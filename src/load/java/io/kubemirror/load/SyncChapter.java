package io.kubemirror.load;

import module java.base;

import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.ReflectorFixture;

import java.lang.management.ManagementFactory;

/**
 * How long the reflector takes for 10,000 pods of 4.7 KB, beside a client that throws away the very
 * stream that the reflector reads. Both are measured in this process, which has been warmed up, so
 * that no start of a JVM counts and what is alive on the heap can be told.
 */
final class SyncChapter {

    private static final String STREAM =
            "/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                    + "&allowWatchBookmarks=true&timeoutSeconds=60";

    /** The annotation of the bookmark that ends the present state (list-watch.md#up-24). */
    private static final String END = "k8s.io/initial-events-end";

    private static final int WARM_UPS = 5;

    private final LoadEnvironment loadEnvironment;
    private final int rounds;
    private final List<ResultRow> rows;

    SyncChapter(LoadEnvironment loadEnvironment, int rounds, List<ResultRow> rows) {
        this.loadEnvironment = loadEnvironment;
        this.rounds = rounds;
        this.rows = rows;
    }

    void measure() {
        List<Duration> sent = new ArrayList<>();
        List<Sync> syncs = new ArrayList<>();
        for (int i = 0; i < WARM_UPS; i++) {
            var _ = received();
            var _ = synced();
        }
        for (int i = 0; i < rounds; i++) {
            sent.add(received());
            syncs.add(synced());
        }
        double time = Medians.of(syncs, sync -> sync.time().toNanos() / 1e6);
        double least = Medians.of(sent, each -> each.toNanos() / 1e6);
        rows.add(
                new ResultRow(
                        "sync of 10,000 such pods in a warm JVM, beside a client that discards"
                                + " them",
                        "at most 1.5 times the time",
                        "%.0f ms".formatted(time),
                        "%.0f ms".formatted(least),
                        "%.2f".formatted(time / least),
                        Judged.atMost(
                                1.5,
                                Judged.ratios(
                                        syncs.stream().map(Sync::time).toList(),
                                        sent,
                                        Duration::toNanos))));
        // What the last mirror leaves behind may be collected in between, which hides some of it.
        Sync most = syncs.stream().max(Comparator.comparingLong(Sync::added)).orElseThrow();
        double heap = (double) most.added() / most.stored();
        rows.add(
                new ResultRow(
                        "… live heap that the mirror adds, over the stored JSON",
                        "at most 1.25",
                        "%.1f MB over %.1f MB".formatted(most.added() / 1e6, most.stored() / 1e6),
                        "",
                        "%.2f".formatted(heap),
                        Judged.atMost(1.25, syncs, sync -> (double) sync.added() / sync.stored())));
    }

    private Sync synced() {
        long before = liveHeap();
        long begun = System.nanoTime();
        try (ReflectorFixture fixture = loadEnvironment.reflectorFixture(Strategy.AUTO).synced()) {
            Duration time = Duration.ofNanos(System.nanoTime() - begun);
            Sync sync = new Sync(time, before, liveHeap(), fixture.mirror().bytes());
            System.out.println("sync: " + sync);
            return sync;
        }
    }

    private Duration received() {
        long begun = System.nanoTime();
        try (InputStream in =
                URI.create("http://127.0.0.1:" + loadEnvironment.api().port() + STREAM)
                        .toURL()
                        .openStream()) {
            byte[] buffer = new byte[1 << 16];
            String last = "";
            while (!last.contains(END)) {
                int count = in.read(buffer);
                if (count < 0) {
                    throw new IllegalStateException("the stream ended before it was complete");
                }
                // The bookmark is the last thing for a while, so it ends what has been read; if
                // it came in two pieces, the next portion is put behind this one.
                String tail = tail(buffer, count);
                last = count < 200 ? last + tail : tail;
            }
            return Duration.ofNanos(System.nanoTime() - begun);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String tail(byte[] buffer, int count) {
        int length = Math.min(count, 200);
        return new String(buffer, count - length, length, StandardCharsets.UTF_8);
    }

    private static long liveHeap() {
        ManagementFactory.getMemoryMXBean().gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /**
     * One synchronization.
     *
     * @param time until the mirror could be read
     * @param before what was alive before, in bytes
     * @param after what was alive afterwards, in bytes
     * @param stored bytes of JSON
     */
    private record Sync(Duration time, long before, long after, long stored) {

        long added() {
            return after - before;
        }
    }
}
