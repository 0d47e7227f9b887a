package io.kubemirror.load;

import module java.base;

import io.kubemirror.load.ControlPlaneChapter.BothCosts;
import io.kubemirror.load.ControlPlaneChapter.CreationCost;
import io.kubemirror.load.LoadTest.ChapterRun;

import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.Styler.ChartTheme;
import org.knowm.xchart.style.Styler.LegendPosition;

/**
 * The results of a measurement, and the plots of the performance page.
 *
 * @param machineFloor what the machine takes for nothing
 * @param runs its rows by chapter, in their order
 * @param bursts the bursts by the number of watches
 * @param steady the events at a rate, null if they were not measured
 * @param clients the processor time of a creation by the number of clients that watch
 * @param opening what processes take of a core while watches are opened, in percent, by second
 */
record PerformancePage(
        MachineFloor machineFloor,
        Map<String, ChapterRun> runs,
        Map<Integer, FanOutChapter.Both> bursts,
        FanOutChapter.@Nullable Both steady,
        Map<Integer, BothCosts> clients,
        Map<String, List<Double>> opening) {

    private static final int WIDTH = 720;
    private static final int HEIGHT = 420;

    /** A logarithmic axis has no 0; in milliseconds. */
    private static final double LEAST = 0.1;

    private static final double[] PERCENTILES = {1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 100};

    String text() {
        return """
        # Measured results

        <!-- Written by the load program; CONTRIBUTING.md has its command. src/docs/performance.md is for readers. -->

        kubemirror and the API server that it mirrors (the library of Kubernetes 1.36), both measured
        in one run on %s on one machine, clients and etcd included: %s. A row
        without a demand shows what the machine takes for the least that any server has to do:
        a loop that writes the same bytes to as many sockets, and parses, selects, and encodes nothing.
        Figures are medians. "Rounds" has the number of rounds, and the least and the most of each figure that
        the demand is about; a ratio to the API server is of the same round of both. "Met" is "yes" if each
        round meets the demand, "**no**" if none does, and "in 1 of 2" if some do.

        | What | Demanded | kubemirror | API server | Ratio | Rounds | Met |
        | --- | --- | --- | --- | --- | --- | --- |
        %s

        %s

        Chapters (`-Dload.chapters`) in the order of the table, with their rounds,
        time, and load average at the start: %s.
        """
                .formatted(
                        LocalDate.now(ZoneOffset.UTC),
                        machineFloor.text(),
                        rows().map(ResultRow::markdown).collect(Collectors.joining("\n")),
                        missed(),
                        runs.entrySet().stream()
                                .map(run -> text(run.getKey(), run.getValue()))
                                .collect(Collectors.joining("; ")));
    }

    private Stream<ResultRow> rows() {
        return runs.values().stream().flatMap(run -> run.rows().stream());
    }

    /** What the missed rows are beside the floors that were measured, and that no row shows. */
    private String missed() {
        List<ResultRow> missed = new ArrayList<>();
        boolean shown = false;
        for (ResultRow row : rows().toList().reversed()) {
            shown |= row.isPart() && row.demanded().isEmpty();
            if (row.judged().isMissed() && !row.floor().isEmpty() && !shown) {
                missed.addFirst(row);
            }
            shown &= row.isPart();
        }
        return missed.isEmpty()
                ? "No other missed row has a floor."
                : missed.stream()
                        .map(PerformancePage::item)
                        .collect(Collectors.joining("\n", "Beside other missed rows:\n\n", ""));
    }

    private static String item(ResultRow row) {
        return "- %s: %s.".formatted(row.what().replace("… ", ""), row.floor());
    }

    private static String text(String chapter, ChapterRun run) {
        return "`%s` %d, %d s%s, %.2f"
                .formatted(
                        chapter,
                        run.rounds(),
                        run.time().toSeconds(),
                        run.failed() ? ", failed" : "",
                        run.load());
    }

    void plots(Path directory) throws IOException {
        if (steady != null) {
            XYChart latency = chart("From write to receipt", "percentile", "ms");
            latency.addSeries("kubemirror", PERCENTILES, percentiles(steady.ofMirror()));
            latency.addSeries("API server", PERCENTILES, percentiles(steady.ofApi()));
            save(latency, directory, "performance-latency");
        }
        if (!bursts.isEmpty()) {
            burstPlot(directory);
        }
        if (!opening.isEmpty()) {
            XYChart open = chart("CPU while 10,000 watches are opened", "seconds", "% of a core");
            opening.forEach((name, shares) -> open.addSeries(name, shares));
            save(open, directory, "performance-open");
        }
        if (!clients.isEmpty()) {
            save(clientsPlot(), directory, "performance-clients");
        }
    }

    private void burstPlot(Path directory) throws IOException {
        XYChart cpu = chart("CPU per delivery in a burst", "watches", "µs");
        List<Integer> numbers = new ArrayList<>(bursts.keySet());
        cpu.addSeries(
                "kubemirror",
                numbers,
                numbers.stream().map(n -> burst(n).mirror(FanOutResult::cpuPerDelivery)).toList());
        cpu.addSeries(
                "API server",
                numbers,
                numbers.stream().map(n -> burst(n).api(FanOutResult::cpuPerDelivery)).toList());
        save(cpu, directory, "performance-cpu");
    }

    /** By categories, because 0 clients have no place on a logarithmic axis. */
    private CategoryChart clientsPlot() {
        CategoryChart chart =
                new CategoryChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title("CPU of one creation")
                        .xAxisTitle("clients that watch")
                        .yAxisTitle("ms")
                        .theme(ChartTheme.XChart)
                        .build();
        chart.getStyler()
                .setDefaultSeriesRenderStyle(CategorySeriesRenderStyle.Line)
                .setOverlapped(true)
                .setYAxisLogarithmic(true)
                .setYAxisMin(LEAST)
                .setLegendPosition(LegendPosition.InsideNW);
        add(chart, "API server, clients at it", both -> both.direct(CreationCost::apiServer));
        add(chart, "etcd, clients at API server", both -> both.direct(CreationCost::etcd));
        add(
                chart,
                "API server, clients at kubemirror",
                both -> both.mirrored(CreationCost::apiServer));
        add(chart, "etcd, clients at kubemirror", both -> both.mirrored(CreationCost::etcd));
        add(chart, "kubemirror", both -> both.mirrored(CreationCost::mirror));
        return chart;
    }

    private void add(CategoryChart chart, String name, ToDoubleFunction<BothCosts> figure) {
        List<String> numbers = clients.keySet().stream().map("%,d"::formatted).toList();
        List<Double> costs =
                clients.values().stream()
                        .map(both -> Math.max(LEAST, figure.applyAsDouble(both)))
                        .toList();
        chart.addSeries(name, numbers, costs);
    }

    private FanOutChapter.Both burst(int watches) {
        return Objects.requireNonNull(bursts.get(watches));
    }

    private static double[] percentiles(List<FanOutResult> rounds) {
        double[] values = new double[PERCENTILES.length];
        for (int i = 0; i < values.length; i++) {
            double percent = PERCENTILES[i];
            values[i] = Medians.of(rounds, round -> round.percentile(percent));
        }
        return values;
    }

    private static XYChart chart(String title, String x, String y) {
        return new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(x)
                .yAxisTitle(y)
                .theme(ChartTheme.XChart)
                .build();
    }

    private static void save(Chart<?, ?> chart, Path directory, String name) throws IOException {
        VectorGraphicsEncoder.saveVectorGraphic(
                chart, directory.resolve(name).toString(), VectorGraphicsFormat.SVG);
    }
}
