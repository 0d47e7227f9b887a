package io.kubemirror.load;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Measures kubemirror and the API server beside each other and writes the performance page.
 *
 * <p>Arguments name chapters, which are measured, and their plots written to {@code target};
 * without any, all are measured and the page is written, chapter by chapter.
 */
final class LoadTest {

    private static final List<String> CHAPTERS =
            List.of(
                    "fanout",
                    "single",
                    "clients",
                    "steady",
                    "selected",
                    "shards",
                    "stalled",
                    "start",
                    "restart",
                    "lists",
                    "joins",
                    "conflate",
                    "sync",
                    "expired",
                    "memory",
                    "flood",
                    "socket",
                    "http2",
                    "large",
                    "writes");

    private static final int FEW = 1_000;

    private final LoadEnvironment loadEnvironment;
    private final int rounds = Integer.getInteger("load.rounds", 5);
    private final Duration time = Duration.ofSeconds(Integer.getInteger("load.seconds", 60));
    private final int watches = Integer.getInteger("load.watches", 9_000);
    private final int pairs = Integer.getInteger("load.pairs", 100_000);
    private final int writers = Integer.getInteger("load.writers", 50);
    private final List<ResultRow> rows = new ArrayList<>();
    private Map<Integer, FanOutChapter.Both> bursts = Map.of();
    private FanOutChapter.@Nullable Both steady;
    private Map<Integer, ControlPlaneChapter.BothCosts> clients = Map.of();

    private LoadTest(LoadEnvironment loadEnvironment) {
        this.loadEnvironment = loadEnvironment;
    }

    public static void main(String[] arguments) throws IOException {
        List<String> chosen = arguments.length == 0 ? CHAPTERS : List.of(arguments);
        try (LoadEnvironment loadEnvironment = new LoadEnvironment(ImageContents.of(Path.of("")))) {
            LoadTest loadTest = new LoadTest(loadEnvironment);
            loadEnvironment.loadFixtures().configMaps(loadEnvironment.api(), FanOut.NAMESPACE, FEW);
            for (String chapter : chosen) {
                loadTest.chapter(chapter);
                if (arguments.length == 0) {
                    loadTest.write(Path.of("src", "docs"));
                }
            }
            if (arguments.length > 0) {
                loadTest.page().plots(Path.of("target"));
            }
            loadTest.rows.forEach(row -> System.out.println(row.markdown()));
        }
    }

    private void chapter(String name) {
        FanOutChapter fanOut = new FanOutChapter(loadEnvironment, rounds, rows);
        SizeChapter size = new SizeChapter(loadEnvironment, rounds, rows);
        switch (name) {
            case "fanout" -> bursts = fanOut.bursts(List.of(watches / 9, watches / 3, watches));
            case "single" -> fanOut.single(watches);
            case "clients" ->
                    clients =
                            new ControlPlaneChapter(loadEnvironment, rounds, rows)
                                    .measure((int) time.toSeconds() * 10 / 3);
            case "steady" -> steady = fanOut.steady(time);
            case "selected" -> fanOut.selected(time.dividedBy(4));
            case "shards" -> fanOut.sharded(time.dividedBy(4));
            case "stalled" -> fanOut.stalled(time.dividedBy(4));
            case "lists" -> {
                loadEnvironment.loadFixtures().pods();
                new ListChapter(loadEnvironment, rounds, rows).measure();
            }
            case "joins" -> {
                loadEnvironment.loadFixtures().pods();
                new JoinChapter(loadEnvironment, rounds, rows).measure();
            }
            case "conflate" -> new ConflateChapter(loadEnvironment, rows).measure(time);
            case "sync" -> {
                loadEnvironment.loadFixtures().pods();
                new SyncChapter(loadEnvironment, rounds, rows).measure();
            }
            case "expired" -> new ExpiryChapter(rounds, rows).measure();
            case "memory" -> new MemoryChapter(rows).measure();
            case "start" -> size.start();
            case "restart" -> new RestartChapter(loadEnvironment, rounds, rows).measure(time);
            case "socket" -> fanOut.socket(watches);
            case "http2" -> new Http2Chapter(loadEnvironment, rounds, rows).measure(time);
            case "large" -> size.large();
            case "flood" -> size.flood(time);
            case "writes" ->
                    new WritesChapter(loadEnvironment, rounds, rows).measure(pairs, writers);
            default -> throw new IllegalArgumentException(name + " is none of " + CHAPTERS);
        }
    }

    private PerformancePage page() {
        return new PerformancePage(rows, bursts, steady, clients, rounds);
    }

    private void write(Path directory) throws IOException {
        Files.writeString(directory.resolve("performance.md"), page().text());
        page().plots(directory);
    }
}
