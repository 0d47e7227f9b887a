package io.kubemirror.load;

import module java.base;

/**
 * A conflated watch across a slow link, of a mirror whose history is shorter than its delay. The
 * objects are so large that the buffers of both kernels hold what is written in few seconds.
 */
final class ConflateChapter {

    private static final String NAMESPACE = "conflated";
    private static final int NAMES = 100;
    private static final int PADDING = 16 * 1024;
    private static final int PER_SECOND = 100;
    private static final int LINES_PER_SECOND = 20;

    /** More time shows nothing more. */
    private static final Duration MOST = Duration.ofSeconds(20);

    private static final int BUFFER = 64 * 1024;
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final LoadEnvironment loadEnvironment;
    private final List<ResultRow> rows;

    ConflateChapter(LoadEnvironment loadEnvironment, List<ResultRow> rows) {
        this.loadEnvironment = loadEnvironment;
        this.rows = rows;
    }

    void measure(Duration most) {
        Duration time = most.compareTo(MOST) < 0 ? most : MOST;
        loadEnvironment.loadFixtures().configMaps(loadEnvironment.api(), NAMESPACE, NAMES);
        List<String> options =
                List.of(
                        "@" + ImageContents.NODE,
                        "-Xmx512m",
                        "-Dkubemirror.history.min-events=100",
                        "-Dkubemirror.history.max-events=200");
        try (ConfigMapWriter writer =
                new ConfigMapWriter(
                        loadEnvironment.api(), NAMESPACE, event -> "n" + event % NAMES, PADDING)) {
            try (Sidecar sidecar = loadEnvironment.sidecar(options, "configmaps");
                    SlowReader reader =
                            new SlowReader(sidecar.side(), loadEnvironment.revision())) {
                Thread reading = Thread.ofPlatform().daemon().start(reader::read);
                int count =
                        writer.steadily(
                                PER_SECOND,
                                time,
                                new DeliveryTimes((int) (PER_SECOND * time.toSeconds())));
                Map<String, String> newest = loadEnvironment.revisions(NAMESPACE);
                reader.hurry(newest.values().stream().mapToLong(Long::parseLong).max().orElse(0));
                reading.join(LIMIT);
                reader.end();
                reading.join(LIMIT);
                row(reader, newest, count, time);
            } finally {
                // What follows mirrors all config maps.
                writer.deleteAll();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void row(SlowReader reader, Map<String, String> newest, int count, Duration time) {
        long current =
                newest.entrySet().stream()
                        .filter(each -> each.getValue().equals(reader.seen.get(each.getKey())))
                        .count();
        rows.add(
                new ResultRow(
                        "conflated watch that reads %d events/s of %d, of 16 KB each, for %d s"
                                .formatted(LINES_PER_SECOND, PER_SECOND, time.toSeconds()),
                        "no 410, newest state at the end, fewer events than changes, gaps"
                                + " annotated",
                        "%,d events of %,d, %d annotated gaps, %d errors, %d of %d objects newest"
                                .formatted(
                                        reader.events,
                                        count,
                                        reader.gaps,
                                        reader.errors,
                                        current,
                                        newest.size()),
                        "",
                        "%.2f".formatted((double) reader.events / count),
                        Judged.holds(
                                List.of(reader),
                                one ->
                                        one.errors == 0
                                                && one.gaps > 0
                                                && one.events < count
                                                && current == newest.size())));
    }

    /** Reads lines at a rate, then without one until a bookmark has passed a revision. */
    private static final class SlowReader implements AutoCloseable {

        private static final Pattern NAME = Pattern.compile("\"name\":\"([^\"]+)\"");
        private static final Pattern REVISION = Pattern.compile("\"resourceVersion\":\"(\\d+)\"");

        private final Socket socket = new Socket();
        private final BufferedReader in;

        /** The revision at which to end, 0 as long as lines are read at a rate. */
        private volatile long until;

        /**
         * The newest revision of each object. This and what follows: read after the thread ends.
         */
        private final Map<String, String> seen = new HashMap<>();

        private int events;
        private int gaps;
        private int errors;

        SlowReader(MeasuredServer side, String revision) {
            try {
                socket.setReceiveBufferSize(BUFFER);
                socket.setSoTimeout((int) LIMIT.toMillis());
                socket.connect(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), side.port()));
                String request =
                        "GET /api/v1/namespaces/%s/configmaps?watch=1&resourceVersion=%s"
                                        .formatted(NAMESPACE, revision)
                                + "&bookmarkIntervalSeconds=1 HTTP/1.1\r\nHost: localhost\r\n"
                                + "Kubemirror-Conflate: true\r\n\r\n";
                socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                in =
                        new BufferedReader(
                                new InputStreamReader(
                                        socket.getInputStream(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void hurry(long revision) {
            until = revision;
        }

        void read() {
            try {
                boolean end = false;
                for (String line = in.readLine();
                        line != null && errors == 0 && !end;
                        line = end ? line : in.readLine()) {
                    count(line);
                    end = isEnd(line);
                }
            } catch (IOException e) {
                errors++;
            }
        }

        private void count(String line) {
            if (line.startsWith("{\"type\":\"ERROR\"")) {
                errors++;
            } else if (line.startsWith("{\"type\":\"BOOKMARK\"")) {
                gaps += line.contains("kubemirror.io/gap") ? 1 : 0;
            } else if (line.startsWith("{\"type\":")) {
                events++;
                seen.put(first(NAME, line), first(REVISION, line));
                if (until == 0) {
                    Pacer.of(Duration.ofSeconds(1).dividedBy(LINES_PER_SECOND));
                }
            }
        }

        private boolean isEnd(String line) {
            return until > 0
                    && line.startsWith("{\"type\":\"BOOKMARK\"")
                    && Long.parseLong(first(REVISION, line)) >= until;
        }

        private static String first(Pattern pattern, String line) {
            Matcher matcher = pattern.matcher(line);
            return matcher.find() ? matcher.group(1) : "0";
        }

        /** Ends the reading if it has not reached the revision. */
        void end() {
            close();
        }

        @Override
        public void close() {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
