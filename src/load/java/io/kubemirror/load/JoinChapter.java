package io.kubemirror.load;

import module java.base;

/** What a client costs that reads 10,000 pods alone, and beside 199 others. */
final class JoinChapter {

    private static final int CLIENTS = 200;
    private static final int WARM_UPS = 10;
    private static final String PODS = "/api/v1/pods?resourceVersion=0";
    private static final String INITIAL =
            PODS
                    + "&watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                    + "&allowWatchBookmarks=true";

    private final LoadEnvironment loadEnvironment;
    private final int rounds;
    private final List<ResultRow> rows;

    JoinChapter(LoadEnvironment loadEnvironment, int rounds, List<ResultRow> rows) {
        this.loadEnvironment = loadEnvironment;
        this.rounds = rounds;
        this.rows = rows;
    }

    void measure() {
        try (Sidecar sidecar =
                        loadEnvironment.sidecar(
                                List.of("@" + ImageContents.NODE, "-Xmx512m"), "pods");
                WriteLoop loop = new WriteLoop()) {
            MeasuredServer side = sidecar.side();
            compare(side, loop, "compressed list", PODS, "Accept-Encoding: gzip\r\n");
            compare(side, loop, "list", PODS, "");
            compare(side, loop, "initial events", INITIAL, "");
        }
    }

    private void compare(
            MeasuredServer side, WriteLoop loop, String what, String target, String header) {
        long length = read(side, target, header);
        List<Double> least = new ArrayList<>();
        List<Double> alone = new ArrayList<>();
        List<Double> together = new ArrayList<>();
        List<Double> kernel = new ArrayList<>();
        for (int i = 0; i < WARM_UPS; i++) {
            var _ = cpu(side, 1, target, header);
        }
        // The first run grows the heap, and makes the others as warm as the single clients.
        long before = side.usage().resident();
        var _ = cpu(side, CLIENTS, target, header);
        double growth = (side.usage().resident() - before) / 1048576.0;
        for (int i = 0; i < rounds; i++) {
            alone.add(singles(side, target, header));
            Duration begun = side.usage().kernel();
            together.add(cpu(side, CLIENTS, target, header));
            kernel.add(side.usage().kernel().minus(begun).toNanos() / 1e6 / CLIENTS);
            loop.body(CLIENTS, length);
            least.add(cpu(loop.side(), CLIENTS, "/", ""));
        }
        double one = Medians.of(alone, each -> each);
        double each = Medians.of(together, cpu -> cpu);
        double floor = Medians.of(least, cpu -> cpu);
        rows.add(
                new ResultRow(
                        "%d clients join, %s of 10,000 pods of 4.7 KB: CPU of each"
                                .formatted(CLIENTS, what),
                        "at most 1/4 of that of a single one",
                        "%.1f ms over %.1f ms, %+.0f MB resident".formatted(each, one, growth),
                        "",
                        "1/%.1f, %.1f times a loop of writes".formatted(one / each, each / floor),
                        Judged.atLeast(4, Judged.ratios(alone, together, cpu -> cpu)),
                        "a loop of writes of the same %.1f MB takes %.1f ms for each of %d sockets, 1/%.1f of a single client here. Of what was measured, the kernel takes %.1f ms"
                                .formatted(
                                        length / 1e6,
                                        floor,
                                        CLIENTS,
                                        one / floor,
                                        Medians.of(kernel, part -> part))));
    }

    /** One after the other, often enough for the resolution of processor times. */
    private static double singles(MeasuredServer side, String target, String header) {
        ProcessUsage before = side.usage();
        for (int i = 0; i < WARM_UPS; i++) {
            var _ = read(side, target, header);
        }
        return side.usage().cpuSince(before).toNanos() / 1e6 / WARM_UPS;
    }

    private static double cpu(MeasuredServer side, int clients, String target, String header) {
        ProcessUsage before = side.usage();
        CountDownLatch ready = new CountDownLatch(clients);
        try (ExecutorService threads = Executors.newFixedThreadPool(clients)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                all.add(
                        threads.submit(
                                () -> {
                                    ready.countDown();
                                    ready.await();
                                    return read(side, target, header);
                                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
        return side.usage().cpuSince(before).toNanos() / 1e6 / clients;
    }

    /** Reads a list, or a watch until the end of its initial events; returns the bytes. */
    private static long read(MeasuredServer side, String target, String header) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), side.port())) {
            socket.setSoTimeout((int) Duration.ofMinutes(2).toMillis());
            String request =
                    "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: %s\r\nConnection: close\r\n%s\r\n"
                            .formatted(target, FanOut.JSON, header);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            byte[] buffer = new byte[1 << 16];
            Tail tail = new Tail();
            long length = 0;
            int count = in.read(buffer);
            while (count >= 0 && !tail.ends(buffer, count)) {
                length += count;
                count = in.read(buffer);
            }
            return length + Math.max(0, count);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The last bytes of a stream, in which the end of the initial events is looked for. */
    private static final class Tail {

        private static final int LENGTH = 300;

        private String last = "";

        boolean ends(byte[] bytes, int count) {
            int length = Math.min(count, LENGTH);
            last += new String(bytes, count - length, length, StandardCharsets.ISO_8859_1);
            last = last.substring(Math.max(0, last.length() - 2 * LENGTH));
            return last.contains("k8s.io/initial-events-end");
        }
    }
}
