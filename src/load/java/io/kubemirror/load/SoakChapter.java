package io.kubemirror.load;

import module java.base;

import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.real.RealApiServer;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Whether a sidecar with mirrors on disk stays as it is for hours: objects are created, changed,
 * and deleted, clients come and go, and some are slow; each minute its connections to the API
 * server are cut, and about every twenty minutes that server is compacted, killed, and started
 * again.
 *
 * <p>A client for each type follows all changes. At the end of each minute, when nothing is written
 * for a moment, what it knows is compared with the list of the API server, and a line is added to
 * {@code target/soak.csv}, which has all that was measured until the program ends in any way.
 */
final class SoakChapter {

    private static final Path TABLE = Path.of("target", "soak.csv");
    private static final List<String> RESOURCES = List.of("configmaps", "pods", "serviceaccounts");
    private static final int PER_SECOND = 50;
    private static final int BETWEEN_RESTARTS = 20;
    private static final Duration NEW_CLIENT = Duration.ofSeconds(1);
    private static final Duration UNTIL_CUT = Duration.ofSeconds(10);
    private static final Duration UNTIL_RESTART = Duration.ofSeconds(25);
    private static final Duration UNTIL_LOOK = Duration.ofSeconds(55);

    /** Until clients have what was written, although the connection has just been cut. */
    private static final Duration SETTLING = Duration.ofSeconds(30);

    private static final Duration POLL = Duration.ofMillis(200);
    private static final double MEGABYTE = 1 << 20;

    private final LoadEnvironment loadEnvironment;
    private final List<ResultRow> rows;
    private final List<SoakMinute> minutes = new ArrayList<>();
    private final Recorder lags = new Recorder(Duration.ofHours(1).toNanos(), 2);
    private int restarts;

    /**
     * Those of the sidecar after its first, and lists of clients, each of which begins with one.
     */
    private long synchronizations = RESOURCES.size();

    private long missed;
    private long wrong;

    SoakChapter(LoadEnvironment loadEnvironment, List<ResultRow> rows) {
        this.loadEnvironment = loadEnvironment;
        this.rows = rows;
    }

    /** All that runs. */
    private record Parts(
            RealApiServer api,
            CutConnections upstream,
            Sidecar sidecar,
            List<FollowedCollection> followed,
            ObjectChurn churn,
            PassingClients clients) {}

    void measure(int total) {
        Path directory = RestartChapter.temporary();
        write(SoakMinute.header(), StandardOpenOption.TRUNCATE_EXISTING);
        try (RealApiServer api = LoadEnvironment.start();
                CutConnections upstream = new CutConnections(api.url().getPort());
                Sidecar sidecar =
                        loadEnvironment.storedSidecar(
                                directory, upstream.port(), RESOURCES.toArray(String[]::new))) {
            api.ensureNamespace(ObjectChurn.NAMESPACE);
            run(total, api, upstream, sidecar);
        } finally {
            report();
            RestartChapter.remove(directory);
        }
    }

    private void report() {
        if (!minutes.isEmpty()) {
            rows.addAll(new SoakResult(minutes).rows());
        }
    }

    private void run(int total, RealApiServer api, CutConnections upstream, Sidecar sidecar) {
        List<String> paths = RESOURCES.stream().map(each -> "/api/v1/" + each).toList();
        RestClient client = RestClient.of(URI.create("http://127.0.0.1:" + sidecar.side().port()));
        List<FollowedCollection> followed =
                paths.stream().map(path -> new FollowedCollection(client, path, lags)).toList();
        try (ObjectChurn churn = new ObjectChurn(api.client(), RESOURCES, PER_SECOND);
                PassingClients clients = new PassingClients(sidecar.side(), paths, NEW_CLIENT)) {
            Parts parts = new Parts(api, upstream, sidecar, followed, churn, clients);
            long begun = System.nanoTime();
            int every = Math.clamp(total / 2, 1, BETWEEN_RESTARTS);
            for (int i = 0; i < total; i++) {
                minute(parts, begun, i, i % every == every - 1);
            }
        } finally {
            followed.forEach(FollowedCollection::close);
        }
    }

    private void minute(Parts parts, long begun, int number, boolean restarted) {
        long start = begun + Duration.ofMinutes(number).toNanos();
        Pacer.until(start + UNTIL_CUT.toNanos());
        parts.upstream().cut();
        if (restarted) {
            Pacer.until(start + UNTIL_RESTART.toNanos());
            parts.api().compact();
            parts.api().restart();
            restarts++;
        }
        Pacer.until(start + UNTIL_LOOK.toNanos());
        var _ = parts.churn().paused(() -> compare(parts));
        SoakMinute seen = seen(parts, begun);
        minutes.add(seen);
        write(seen.csv(), StandardOpenOption.APPEND);
        Pacer.until(start + Duration.ofMinutes(1).toNanos());
    }

    private static void write(String text, StandardOpenOption way) {
        try {
            Files.writeString(TABLE, text, StandardOpenOption.CREATE, way);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Compares what the clients know with the API server. */
    private boolean compare(Parts parts) {
        long end = System.nanoTime() + SETTLING.toNanos();
        RestClient api = parts.api().client();
        for (FollowedCollection each : parts.followed()) {
            long differences = each.differences(api);
            while (differences > 0 && System.nanoTime() - end < 0) {
                Pacer.of(POLL);
                differences = each.differences(api);
            }
            if (differences > 0) {
                System.err.printf("%s: %d objects differ%n", each.path(), differences);
                each.count(differences);
            }
        }
        countMissed(parts);
        return true;
    }

    /** A change may only be left out if the sidecar or the client has synchronized again. */
    private void countMissed(Parts parts) {
        long again = resyncs(parts) + lists(parts);
        long before = missed;
        missed = sum(parts, FollowedCollection::missed);
        if (again == synchronizations) {
            wrong += missed - before;
        }
        synchronizations = again;
    }

    private static long resyncs(Parts parts) {
        return (long) parts.sidecar().metric("kubemirror_resyncs_total");
    }

    private static long lists(Parts parts) {
        return sum(parts, FollowedCollection::lists);
    }

    private static long sum(Parts parts, ToLongFunction<FollowedCollection> figure) {
        return parts.followed().stream().mapToLong(figure).sum();
    }

    private SoakMinute seen(Parts parts, long begun) {
        Sidecar sidecar = parts.sidecar();
        long pid = sidecar.side().pid();
        ProcessUsage usage = ProcessUsage.of(pid);
        Histogram times = lags.getIntervalHistogram();
        return new SoakMinute(
                Duration.ofNanos(System.nanoTime() - begun).toSeconds(),
                usage.resident() / MEGABYTE,
                sidecar.metric("jvm_gc_live_data_size_bytes") / MEGABYTE,
                ProcessUsage.threads(pid),
                ProcessUsage.files(pid),
                usage.cpu().toMillis() / 1e3,
                times.getValueAtPercentile(99) / 1e6,
                times.getMaxValue() / 1e6,
                parts.churn().writes(),
                (long) sidecar.metric("kubemirror_watch_events_delivered_total"),
                parts.clients().opened(),
                minutes.size() + 1,
                restarts,
                resyncs(parts),
                lists(parts),
                wrong + sum(parts, FollowedCollection::wrong));
    }
}
