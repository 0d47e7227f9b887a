package io.kubemirror.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.real.ServerBinaries;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the rows of the covering array: all with {@code -Dpairs=all}, or where the environment
 * variable {@code CI} is set, and some otherwise.
 *
 * <p>{@code -Dpairs.row=7,11} runs rows alone, and {@code -Dpairs.seed} repeats its random writes.
 */
@WithApiServer
class PairsTest {

    /** Every so many rows one is among some of them. */
    private static final int SLICE = 4;

    private static final long SEED = Long.getLong("pairs.seed", System.currentTimeMillis());

    private static final List<Row> ROWS = new CoveringArray(Settings::permits).rows();

    @TempDir private static Path files;
    private static final List<Double> times = new ArrayList<>();
    private static PairedServer server;

    @TempDir private Path directory;

    @BeforeAll
    static void start() throws Exception {
        Assumptions.assumeTrue(
                ServerBinaries.find().isPresent(), "only executables read files of ours");
        server = PairedServer.start(ServerBinaries.find().orElseThrow(), files);
    }

    @AfterAll
    static void stop() {
        double sum = times.stream().mapToDouble(Double::doubleValue).sum();
        System.out.printf("pairs: %d rows: %.1f s%n", times.size(), sum);
        if (server != null) {
            server.close();
        }
    }

    static Stream<Integer> numbers() {
        String chosen = System.getProperty("pairs.row");
        String asked = System.getenv("CI") == null ? "some" : "all";
        boolean all = System.getProperty("pairs", asked).equals("all");
        return chosen != null
                ? Stream.of(chosen.split(",")).map(Integer::valueOf)
                : IntStream.range(0, ROWS.size())
                        .filter(number -> all || number % SLICE == 0)
                        .boxed();
    }

    @ParameterizedTest(name = "row {0}")
    @MethodSource("numbers")
    void features_keep_their_promises_together(int number) throws Exception {
        Row row = ROWS.get(number);
        long begin = System.nanoTime();
        Map<String, Throwable> failures;
        try (RowRun run = new RowRun(row, number, SEED, server, directory)) {
            failures = run.run();
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        times.add(seconds);
        System.out.printf("pairs: row %d: %.1f s%n", number, seconds);
        assertThat(failures)
                .as(
                        "-Dpairs.row=%d -Dpairs.seed=%d, %s%n%s",
                        number, SEED, row, described(failures))
                .isEmpty();
    }

    private static String described(Map<String, Throwable> failures) {
        return failures.entrySet().stream()
                .map(one -> one.getKey() + ": " + trace(one.getValue()))
                .collect(Collectors.joining("\n"));
    }

    private static String trace(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure + (cause == null ? "" : "\n  because of " + cause);
    }
}
