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
 * <p>Arguments name chapters (fanout, steady, selected, stalled, start, lists, sync, flood, large);
 * without any, all are measured and the page is written, chapter by chapter.
 */
final class Load {

    private static final List<String> CHAPTERS =
            List.of(
                    "fanout",
                    "single",
                    "steady",
                    "selected",
                    "stalled",
                    "start",
                    "lists",
                    "sync",
                    "flood",
                    "large");

    private static final int FEW = 1_000;

    private final Setting setting;
    private final int rounds = Integer.getInteger("load.rounds", 5);
    private final Duration time = Duration.ofSeconds(Integer.getInteger("load.seconds", 60));
    private final int watches = Integer.getInteger("load.watches", 9_000);
    private final List<Row> rows = new ArrayList<>();
    private Map<Integer, FanOutChapter.Both> bursts = Map.of();
    private FanOutChapter.@Nullable Both steady;

    private Load(Setting setting) {
        this.setting = setting;
    }

    public static void main(String[] arguments) throws IOException {
        List<String> chosen = arguments.length == 0 ? CHAPTERS : List.of(arguments);
        try (Setting setting = new Setting(Image.of(Path.of("")))) {
            Load load = new Load(setting);
            setting.furniture().configMaps(setting.api(), FanOut.NAMESPACE, FEW);
            for (String chapter : chosen) {
                load.chapter(chapter);
                if (arguments.length == 0) {
                    load.write(Path.of("src", "docs"));
                }
            }
            load.rows.forEach(row -> System.out.println(row.markdown()));
        }
    }

    private void chapter(String name) {
        FanOutChapter fanOut = new FanOutChapter(setting, rounds, rows);
        SizeChapter size = new SizeChapter(setting, rounds, rows);
        switch (name) {
            case "fanout" -> bursts = fanOut.bursts(List.of(watches / 9, watches / 3, watches));
            case "single" -> fanOut.single(watches);
            case "steady" -> steady = fanOut.steady(time);
            case "selected" -> fanOut.selected(time.dividedBy(4));
            case "stalled" -> fanOut.stalled(time.dividedBy(4));
            case "lists" -> {
                setting.furniture().pods();
                new ListChapter(setting, rounds, rows).measure();
            }
            case "sync" -> {
                setting.furniture().pods();
                new SyncChapter(setting, rounds, rows).measure();
            }
            case "start" -> size.start();
            case "large" -> size.large();
            case "flood" -> size.flood(time);
            default -> throw new IllegalArgumentException(name + " is none of " + CHAPTERS);
        }
    }

    private void write(Path directory) throws IOException {
        Page page = new Page(rows, bursts, steady, rounds);
        Files.writeString(directory.resolve("performance.md"), page.text());
        page.plots(directory);
    }
}
