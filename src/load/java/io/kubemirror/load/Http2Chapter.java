package io.kubemirror.load;

import module java.base;

import io.kubemirror.kube.TestCertificates;

import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** What the watches of one process cost over HTTP/2, and over HTTP/1.1; both with TLS. */
final class Http2Chapter {

    private static final int WATCHES = 30;
    private static final int PER_SECOND = 200;
    private static final Duration WARM_UP = Duration.ofSeconds(5);
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Pattern NUMBER = Pattern.compile("\"number\":\"(\\d+)\"");
    private static final String TARGET =
            "/api/v1/namespaces/" + FanOut.NAMESPACE + "/configmaps?watch=1&resourceVersion=";

    private final LoadEnvironment loadEnvironment;
    private final int rounds;
    private final List<ResultRow> rows;

    Http2Chapter(LoadEnvironment loadEnvironment, int rounds, List<ResultRow> rows) {
        this.loadEnvironment = loadEnvironment;
        this.rounds = rounds;
        this.rows = rows;
    }

    /**
     * What a measurement has shown.
     *
     * @param cpu of the server for each delivery, in microseconds
     * @param p99 from the answer to the write to the receipt, in milliseconds
     * @param connections of the server
     * @param lost deliveries that did not come
     */
    private record Cost(double cpu, double p99, double connections, long lost) {}

    /** Measures each of them. */
    void measure(Duration time) {
        // A stream of the JDK's client stalls when it has this much unread; read by the first
        // client.
        System.setProperty("jdk.httpclient.windowsize", String.valueOf(64 * 1024));
        List<Cost> first = new ArrayList<>();
        List<Cost> second = new ArrayList<>();
        List<Cost> stalled = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            first.add(measure(Version.HTTP_1_1, 0, time));
            second.add(measure(Version.HTTP_2, 0, time));
            stalled.add(measure(Version.HTTP_2, 1, time));
        }
        double connections = Medians.of(second, Cost::connections);
        double lost = Medians.of(second, Cost::lost) + Medians.of(stalled, Cost::lost);
        rows.add(
                new ResultRow(
                        "%d watches of a process over HTTP/2: connections, lost events"
                                .formatted(WATCHES),
                        "1, none",
                        "%.0f, %.0f".formatted(connections, lost),
                        "",
                        "",
                        Judged.holds(second, cost -> cost.connections() == 1 && cost.lost() == 0)
                                .and(Judged.holds(stalled, cost -> cost.lost() == 0))));
        rows.add(row("… CPU per delivery over that with HTTP/1.1", "µs", second, first, Cost::cpu));
        rows.add(
                row(
                        "… p99 of the others while one stream is not read",
                        "ms",
                        stalled,
                        second,
                        Cost::p99));
    }

    private static ResultRow row(
            String what,
            String unit,
            List<Cost> measured,
            List<Cost> reference,
            ToDoubleFunction<Cost> figure) {
        double one = Medians.of(measured, figure);
        double other = Medians.of(reference, figure);
        return new ResultRow(
                what,
                "at most 1.2",
                "%.2f %s over %.2f %s".formatted(one, unit, other, unit),
                "",
                "%.2f".formatted(one / other),
                Judged.atMost(1.2, Judged.ratios(measured, reference, figure)));
    }

    private Cost measure(Version version, int stalled, Duration time) {
        TestCertificates certificate = certificate();
        try (Sidecar sidecar = sidecar(certificate)) {
            cost(sidecar, client(certificate, version), 0, WARM_UP);
            Cost cost = cost(sidecar, client(certificate, version), stalled, time);
            System.out.println(version + ", " + stalled + " stalled: " + cost);
            return cost;
        }
    }

    private Cost cost(Sidecar sidecar, HttpClient client, int stalled, Duration time) {
        MeasuredServer side = sidecar.side();
        DeliveryTimes deliveryTimes = new DeliveryTimes(1 << 20);
        try (ConfigMapWriter writer =
                new ConfigMapWriter(
                        loadEnvironment.api(), FanOut.NAMESPACE, event -> "n" + event % 40)) {
            open(side, client, stalled, deliveryTimes);
            ProcessUsage open = side.usage();
            var _ = writer.steadily(PER_SECOND, time, deliveryTimes);
            long expected = PER_SECOND * time.toSeconds() * (WATCHES - stalled);
            Pacer.of(Duration.ofSeconds(2));
            return new Cost(
                    side.usage().cpuSince(open).toNanos() / 1e3 / deliveryTimes.deliveries(),
                    deliveryTimes.times().getValueAtPercentile(99) / 1e6,
                    sidecar.metric("kubemirror_connections_open"),
                    expected - deliveryTimes.deliveries());
        } finally {
            client.shutdownNow();
        }
    }

    private void open(
            MeasuredServer side, HttpClient client, int stalled, DeliveryTimes deliveryTimes) {
        URI address =
                URI.create(
                        "https://localhost:" + side.port() + TARGET + loadEnvironment.revision());
        try {
            for (int i = 0; i < WATCHES; i++) {
                InputStream body =
                        client.send(
                                        HttpRequest.newBuilder(address).timeout(LIMIT).build(),
                                        BodyHandlers.ofInputStream())
                                .body();
                if (i >= stalled) {
                    Thread.ofVirtual().start(() -> read(body, deliveryTimes));
                }
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Sidecar sidecar(TestCertificates certificate) {
        String store = "spring.ssl.bundle.pem.own.keystore.";
        try {
            return loadEnvironment.sidecar(
                    List.of("@" + ImageContents.NODE, "-Xmx512m"),
                    List.of(
                            "server.http2.enabled=true",
                            "server.ssl.bundle=own",
                            store + "certificate=" + certificate.certificatePem(),
                            store + "private-key=" + certificate.keyPem()),
                    loadEnvironment.api().port(),
                    "configmaps");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static TestCertificates certificate() {
        try {
            return TestCertificates.of("kubemirror", "localhost");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static HttpClient client(TestCertificates certificate, Version version) {
        try {
            return HttpClient.newBuilder()
                    .version(version)
                    .sslContext(certificate.trusting())
                    .build();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Counts the events, until the client ends. */
    private static void read(InputStream body, DeliveryTimes deliveryTimes) {
        BufferedReader reader =
                new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
        try (reader) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                Matcher number = NUMBER.matcher(line);
                if (number.find()) {
                    synchronized (deliveryTimes) {
                        deliveryTimes.received(
                                Integer.parseInt(number.group(1)), System.nanoTime());
                    }
                }
            }
        } catch (IOException ended) {
            // The client has been shut down.
        }
    }
}
