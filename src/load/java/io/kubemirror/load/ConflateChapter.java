package io.kubemirror.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** A conflated watch across a slow link, of a mirror whose history is shorter than its delay. */
final class ConflateChapter {

    private static final int NAMES = 1_000;
    private static final int PER_SECOND = 200;

    /** About one in five of the events of 1 KB. */
    private static final int LINES_PER_SECOND = 40;

    private static final int BUFFER = 4 * 1024;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final LoadEnvironment loadEnvironment;
    private final List<ResultRow> rows;

    ConflateChapter(LoadEnvironment loadEnvironment, List<ResultRow> rows) {
        this.loadEnvironment = loadEnvironment;
        this.rows = rows;
    }

    void measure(Duration time) {
        List<String> options =
                List.of(
                        "@" + ImageContents.NODE,
                        "-Xmx512m",
                        "-Dkubemirror.history.min-events=100",
                        "-Dkubemirror.history.max-events=200");
        try (Sidecar sidecar = loadEnvironment.sidecar(options, "configmaps");
                ConfigMapWriter writer =
                        new ConfigMapWriter(
                                loadEnvironment.api(),
                                FanOut.NAMESPACE,
                                event -> "n" + event % NAMES);
                SlowReader reader = new SlowReader(sidecar.side(), loadEnvironment.revision())) {
            int count = (int) (PER_SECOND * time.toSeconds());
            DeliveryTimes writes = new DeliveryTimes(count);
            Thread reading = Thread.ofPlatform().start(reader::read);
            writer.steadily(PER_SECOND, time, writes);
            String last = loadEnvironment.revision();
            reader.hurry(last);
            reading.join();
            double gaps = sidecar.metric("kubemirror_watch_conflated_total");
            rows.add(
                    new ResultRow(
                            "conflated watch that reads %d events/s of %d for %d s"
                                    .formatted(LINES_PER_SECOND, PER_SECOND, time.toSeconds()),
                            "no 410, newest state at the end, fewer events than changes",
                            "%,d events of %,d, %.0f gaps, %d errors"
                                    .formatted(reader.events, count, gaps, reader.errors),
                            "",
                            "%.2f".formatted((double) reader.events / count),
                            reader.errors == 0 && gaps > 0 && reader.events < count));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Reads lines at a rate, then without one until a bookmark has passed a revision. */
    private static final class SlowReader implements AutoCloseable {

        private final Socket socket = new Socket();
        private final BufferedReader in;
        private volatile String until = "";

        /** Used by the reading thread, and after it has ended. */
        private int events;

        private int errors;

        SlowReader(MeasuredServer side, String revision) {
            try {
                socket.setReceiveBufferSize(BUFFER);
                socket.setSoTimeout((int) LIMIT.toMillis());
                socket.connect(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), side.port()));
                String request =
                        "GET /api/v1/namespaces/%s/configmaps?watch=1&resourceVersion=%s"
                                        .formatted(FanOut.NAMESPACE, revision)
                                + "&bookmarkIntervalSeconds=1 HTTP/1.1\r\nHost: localhost\r\n"
                                + "Kubemirror-Conflate: true\r\n\r\n";
                socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                in =
                        new BufferedReader(
                                new InputStreamReader(
                                        socket.getInputStream(), StandardCharsets.UTF_8),
                                BUFFER);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void hurry(String revision) {
            until = revision;
        }

        void read() {
            try {
                String line = in.readLine();
                while (line != null && errors == 0 && !isEnd(line)) {
                    count(line);
                    line = in.readLine();
                }
            } catch (IOException e) {
                errors++;
            }
        }

        private void count(String line) {
            if (line.startsWith("{\"type\":\"ERROR\"")) {
                errors++;
            } else if (line.startsWith("{\"type\":")
                    && !line.startsWith("{\"type\":\"BOOKMARK\"")) {
                events++;
                if (until.isEmpty()) {
                    Pacer.of(Duration.ofSeconds(1).dividedBy(LINES_PER_SECOND));
                }
            }
        }

        private boolean isEnd(String line) {
            return !until.isEmpty()
                    && line.startsWith("{\"type\":\"BOOKMARK\"")
                    && Long.parseLong(line.replaceAll(".*\"resourceVersion\":\"(\\d+)\".*", "$1"))
                            >= Long.parseLong(until);
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
