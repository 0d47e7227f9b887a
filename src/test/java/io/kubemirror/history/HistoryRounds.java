package io.kubemirror.history;

import module java.base;

import io.kubemirror.history.HistoryRun.Result;

/**
 * Runs one after the other, each with the next seed, until something is illegal. Its command line
 * has the system properties {@code history.seconds}, {@code history.seed} to begin with the same
 * choices again, {@code history.round} for the seconds of each run, {@code history.keep} to keep
 * legal histories, too, and {@code history.judge} to judge one that was kept.
 */
final class HistoryRounds {

    private static final long ROUND = Long.getLong("history.round", 120);

    /** The seconds of a run that has to reach most states of the API, and the share in percent. */
    private static final long LONG = 600;

    private static final int ENOUGH = 95;

    /** The greatest share of the events of a long run that may be exempt, in percent. */
    private static final int EXEMPT = 25;

    private static final long NANOS = Duration.ofSeconds(1).toNanos();

    private final Path directory;
    private final Scorecard reached = Scorecard.of(List.of());
    private final Map<String, Integer> faults = new TreeMap<>();
    private Checker.Exempt exempt = new Checker.Exempt(0, 0, 0);
    private long operations;

    /** Rounds that keep their files in a directory. */
    HistoryRounds(Path directory) {
        this.directory = directory;
    }

    /** Rounds that keep their files in a new directory. */
    HistoryRounds() throws IOException {
        this(Files.createTempDirectory("history"));
    }

    /** Exits with 1 if something is illegal. */
    void main() throws IOException, InterruptedException {
        String kept = System.getProperty("history.judge", "");
        if (!kept.isEmpty()) {
            Checker checker = HistoryRun.checker(History.read(Path.of(kept)));
            List<Violation> again = checker.check();
            System.out.printf("%s, %d violations%n", checker.exempt(), again.size());
            again.stream().map(Violation::brief).forEach(System.out::println);
            System.exit(again.isEmpty() ? 0 : 1);
        }
        List<Violation> violations = run(Long.getLong("history.seconds", ROUND));
        violations.stream().limit(3).map(Violation::brief).forEach(System.out::println);
        System.exit(violations.isEmpty() ? 0 : 1);
    }

    /**
     * Runs for some seconds, and returns what is illegal.
     *
     * @throws IllegalStateException if it has found nothing in a time in which it should have
     *     reached most states of the API, and has not, or too many events could not be judged
     */
    List<Violation> run(long seconds) throws IOException, InterruptedException {
        long seed = Long.getLong("history.seed", new Random().nextLong(1_000_000));
        long begun = System.nanoTime();
        for (long left = seconds; left > 0; left -= ROUND) {
            System.out.printf("seed %d: begins%n", seed);
            Path files = Files.createDirectories(directory.resolve("seed-" + seed));
            HistoryRun run = new HistoryRun(seed, files);
            List<Result> results = run(run, Math.min(left, ROUND), seed);
            for (Result result : results) {
                add(result, seed, run);
            }
            List<Violation> violations = results.getLast().violations();
            if (!violations.isEmpty()) {
                System.out.printf("found after %d s%n", (System.nanoTime() - begun) / NANOS);
                return violations;
            }
            seed++;
        }
        System.out.printf(
                "%d operations; faults: %s; %s%n%s%n", operations, faults, exempt, reached);
        if (seconds >= LONG && exempt.percent() > EXEMPT) {
            throw new IllegalStateException("too much could not be judged: " + exempt);
        }
        if (seconds >= LONG && reached.percent() < ENOUGH) {
            throw new IllegalStateException(
                    "only %d %% of the states were reached: not %s"
                            .formatted(reached.percent(), reached.missing()));
        }
        return List.of();
    }

    /** Keeps the history of a run that fails. */
    private static List<Result> run(HistoryRun run, long seconds, long seed)
            throws IOException, InterruptedException {
        boolean complete = false;
        try {
            List<Result> results = run.run(seconds);
            complete = true;
            return results;
        } finally {
            if (!complete) {
                run.history().write(directory(seed).resolve("history.jsonl"));
                run.keepLogs(directory(seed));
            }
        }
    }

    private static Path directory(long seed) throws IOException {
        return Files.createDirectories(Path.of("target", "history", Long.toString(seed)));
    }

    private void add(Result result, long seed, HistoryRun run) throws IOException {
        List<Operation> all = result.history().operations();
        int happened = result.faults().values().stream().mapToInt(Integer::intValue).sum();
        System.out.printf(
                "seed %d: %d operations, %d faults, %s, %d violations%n",
                seed, all.size(), happened, result.exempt(), result.violations().size());
        reached.add(Scorecard.of(all));
        result.faults().forEach((kind, count) -> faults.merge(kind, count, Integer::sum));
        operations += all.size();
        exempt = exempt.plus(result.exempt());
        if (Boolean.getBoolean("history.keep") || !result.violations().isEmpty()) {
            keep(result, seed);
            run.keepLogs(directory(seed));
        }
    }

    /** Keeps a history. */
    private static void keep(Result result, long seed) throws IOException {
        Path kept = directory(seed);
        result.history().write(kept.resolve("history.jsonl"));
        System.out.println("kept in " + kept);
    }
}
