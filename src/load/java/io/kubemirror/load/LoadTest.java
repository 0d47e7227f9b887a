package io.kubemirror.load;

import module java.base;

import org.jspecify.annotations.Nullable;

/**
 * Measures kubemirror and the API server beside each other and writes the performance page.
 *
 * <p>Arguments name chapters, which are measured, and their page and plots written to {@code
 * target}; without any, all but those that take hours are measured and the page of the
 * documentation is written, chapter by chapter. A chapter that fails or takes too long ends with a
 * row that says so; the others follow.
 */
final class LoadTest {

    /** In the order of the page. */
    private static final List<String> CHAPTERS =
            List.of(
                    "restart",
                    "http2",
                    "single",
                    "start",
                    "joins",
                    "fanout",
                    "clients",
                    "open",
                    "fleet",
                    "steady",
                    "selected",
                    "shards",
                    "stalled",
                    "lists",
                    "demand",
                    "sync",
                    "memory",
                    "flood",
                    "large",
                    "writes",
                    "soak");

    /** They take hours, and are measured only if they are named. */
    private static final Set<String> NAMED_ONLY = Set.of("soak");

    /** They fill the API server, so the others are measured before. */
    private static final Set<String> LAST = Set.of("restart", "large");

    /** Their rows are of one round. */
    private static final Set<String> ONCE = Set.of("memory", "flood", "large", "soak");

    private static final int FEW = 1_000;

    /** Until an interrupted chapter has ended its processes. */
    private static final Duration ENDING = Duration.ofSeconds(30);

    private final LoadEnvironment loadEnvironment;
    private final int rounds = Integer.getInteger("load.rounds", 2);
    private final Duration time = Duration.ofSeconds(Integer.getInteger("load.seconds", 15));
    private final int watches = Integer.getInteger("load.watches", 9_000);
    private final int pairs = Integer.getInteger("load.pairs", 20_000);
    private final int writers = Integer.getInteger("load.writers", 50);
    private final Duration limit = Duration.ofMinutes(Integer.getInteger("load.minutes", 6));
    private final int soakMinutes = Integer.getInteger("load.soak-minutes", 180);
    private final MachineFloor machineFloor;
    private final Map<String, ChapterRun> runs = new LinkedHashMap<>();
    private Map<Integer, FanOutChapter.Both> bursts = Map.of();
    private FanOutChapter.@Nullable Both steady;
    private Map<Integer, ControlPlaneChapter.BothCosts> clients = Map.of();
    private Map<String, List<Double>> opening = Map.of();

    private LoadTest(LoadEnvironment loadEnvironment, MachineFloor machineFloor) {
        this.loadEnvironment = loadEnvironment;
        this.machineFloor = machineFloor;
    }

    public static void main(String[] arguments) throws IOException {
        boolean all = arguments.length == 0;
        List<String> chosen =
                all
                        ? CHAPTERS.stream().filter(name -> !NAMED_ONLY.contains(name)).toList()
                        : List.of(arguments);
        Path rows = all ? Path.of("src", "load") : Path.of("target");
        Path plots = all ? Path.of("src", "docs") : Path.of("target");
        MachineFloor machineFloor = MachineFloor.measured();
        boolean failed;
        try (LoadEnvironment loadEnvironment = new LoadEnvironment(ImageContents.of(Path.of("")))) {
            LoadTest loadTest = new LoadTest(loadEnvironment, machineFloor);
            loadEnvironment.loadFixtures().configMaps(loadEnvironment.api(), FanOut.NAMESPACE, FEW);
            for (String chapter : (Iterable<String>) inOrder(chosen)::iterator) {
                loadTest.run(chapter);
                loadTest.write(rows, plots);
            }
            failed = loadTest.runs.values().stream().anyMatch(ChapterRun::failed);
        }
        // A chapter that could not be ended may have left a thread.
        System.exit(failed ? 1 : 0);
    }

    private static Stream<String> inOrder(List<String> chosen) {
        return Stream.concat(
                chosen.stream().filter(name -> !LAST.contains(name)),
                chosen.stream().filter(LAST::contains));
    }

    /** Runs a chapter, and ends it with its processes if it takes too long. */
    private void run(String name) {
        List<ResultRow> rows = new CopyOnWriteArrayList<>();
        Set<ProcessHandle> before =
                ProcessHandle.current().descendants().collect(Collectors.toSet());
        double load = MachineFloor.loadNow();
        long begun = System.nanoTime();
        FutureTask<Void> task = new FutureTask<>(() -> chapter(name, rows), null);
        Thread thread = Thread.ofPlatform().daemon().name(name).start(task);
        boolean failed = true;
        try {
            task.get(limit(name).toMillis(), TimeUnit.MILLISECONDS);
            failed = false;
        } catch (ExecutionException e) {
            Throwable why = Objects.requireNonNullElse(e.getCause(), e);
            why.printStackTrace();
            rows.add(ResultRow.failed(name, why));
        } catch (TimeoutException e) {
            Stream.of(thread.getStackTrace()).forEach(frame -> System.err.println("\tat " + frame));
            rows.add(
                    ResultRow.failed(
                            name,
                            new TimeoutException(
                                    "not within " + limit(name).toMinutes() + " min")));
            task.cancel(true);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        end(thread, before);
        Duration duration = Duration.ofNanos(System.nanoTime() - begun);
        runs.put(
                name,
                new ChapterRun(rows, ONCE.contains(name) ? 1 : rounds, duration, load, failed));
        rows.forEach(row -> System.out.println(row.markdown()));
        System.out.printf("chapter %s: %d s, load %.1f%n", name, duration.toSeconds(), load);
    }

    private Duration limit(String name) {
        return NAMED_ONLY.contains(name) ? limit.plusMinutes(soakMinutes) : limit;
    }

    private static void end(Thread thread, Set<ProcessHandle> before) {
        try {
            thread.join(ENDING);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        ProcessHandle.current()
                .descendants()
                .filter(process -> !before.contains(process))
                .forEach(ProcessHandle::destroyForcibly);
    }

    /**
     * How a chapter was measured.
     *
     * @param rounds of how many rounds its medians are
     * @param load of the machine when it began
     * @param failed whether it did not end as it should
     */
    record ChapterRun(
            List<ResultRow> rows, int rounds, Duration time, double load, boolean failed) {}

    private void chapter(String name, List<ResultRow> rows) {
        FanOutChapter fanOut = new FanOutChapter(loadEnvironment, rounds, rows);
        SizeChapter size = new SizeChapter(loadEnvironment, rounds, rows);
        switch (name) {
            case "fanout" -> bursts = fanOut.bursts(List.of(watches / 9, watches / 3, watches));
            case "single" -> fanOut.single(watches);
            case "clients" ->
                    clients =
                            new ControlPlaneChapter(loadEnvironment, rounds, rows)
                                    .measure((int) time.toSeconds() * 4);
            case "open" -> opening = new OpenChapter(loadEnvironment, rounds, rows).measure();
            case "fleet" -> new FleetChapter(rounds, rows).measure();
            case "soak" -> new SoakChapter(loadEnvironment, rows).measure(soakMinutes);
            case "steady" -> steady = fanOut.steady(time);
            case "selected" -> fanOut.selected(time.dividedBy(2));
            case "shards" -> fanOut.sharded(time.dividedBy(2));
            case "stalled" -> fanOut.stalled(time.dividedBy(2));
            case "lists" -> {
                loadEnvironment.loadFixtures().pods();
                new ListChapter(loadEnvironment, rounds, rows).measure();
            }
            case "demand" -> {
                loadEnvironment.loadFixtures().pods();
                new OnDemandChapter(loadEnvironment, rounds, rows).measure();
            }
            case "joins" -> {
                loadEnvironment.loadFixtures().pods();
                new JoinChapter(loadEnvironment, rounds, rows).measure();
            }
            case "sync" -> {
                loadEnvironment.loadFixtures().pods();
                new SyncChapter(loadEnvironment, rounds, rows).measure();
            }
            case "memory" -> new MemoryChapter(rows).measure();
            case "start" -> size.start(machineFloor.version() / 1e3);
            case "restart" -> new RestartChapter(loadEnvironment, rounds, rows).measure(time);
            case "http2" -> new Http2Chapter(loadEnvironment, rounds, rows).measure(time);
            case "large" -> size.large();
            case "flood" -> size.flood(time);
            case "writes" ->
                    new WritesChapter(loadEnvironment, rounds, rows).measure(pairs, writers);
            default -> throw new IllegalArgumentException(name + " is none of " + CHAPTERS);
        }
    }

    private PerformancePage page() {
        Map<String, ChapterRun> inOrder = new LinkedHashMap<>();
        CHAPTERS.stream()
                .filter(runs::containsKey)
                .forEach(name -> inOrder.put(name, Objects.requireNonNull(runs.get(name))));
        return new PerformancePage(machineFloor, inOrder, bursts, steady, clients, opening);
    }

    private void write(Path rows, Path plots) throws IOException {
        Files.writeString(rows.resolve("results.md"), page().text());
        page().plots(plots);
    }
}
