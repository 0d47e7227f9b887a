package io.kubemirror.load;

import module java.base;

/** kubemirror in a process of its own, started as in the image. */
final class Sidecar implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final File LOG = new File("target", "sidecar.log");
    private static final Pattern RUNNING = Pattern.compile("process running for ([0-9.]+)");

    private final Process process;
    private final int port;
    private final int management;
    private final Duration startup;

    /**
     * Starts it and waits until it is ready.
     *
     * @param options of the JVM, after those of the image
     * @param settings properties, as {@code name=value}
     */
    Sidecar(ImageContents image, List<String> options, List<String> settings) {
        port = freePort();
        management = freePort();
        List<String> arguments = new ArrayList<>();
        arguments.add("--server.port=" + port);
        arguments.add("--management.server.port=" + management);
        settings.forEach(setting -> arguments.add("--" + setting));
        long begun = System.nanoTime();
        try {
            process =
                    image.start(options, arguments)
                            .redirectErrorStream(true)
                            .redirectOutput(LOG)
                            .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitReadiness(management);
        startup = Duration.ofNanos(System.nanoTime() - begun);
    }

    private void awaitReadiness(int management) {
        URI readiness = URI.create("http://127.0.0.1:" + management + "/actuator/health/readiness");
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!isReady(readiness)) {
            if (System.nanoTime() > deadline || !process.isAlive()) {
                process.destroy();
                throw new IllegalStateException("not ready; see target/sidecar.log");
            }
            Pacer.of(Duration.ofMillis(5));
        }
    }

    private static boolean isReady(URI readiness) {
        try {
            HttpURLConnection connection = (HttpURLConnection) readiness.toURL().openConnection();
            connection.setConnectTimeout((int) ANSWER.toMillis());
            connection.setReadTimeout((int) ANSWER.toMillis());
            boolean ready = connection.getResponseCode() == 200;
            connection.disconnect();
            return ready;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** A port that nothing listens on at the moment. */
    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The side that it is. */
    MeasuredServer side() {
        return new MeasuredServer("kubemirror", port, process.pid());
    }

    /** From its start until it was ready. */
    Duration startup() {
        return startup;
    }

    /** From the start of its JVM until Spring had started everything, in seconds, by its log. */
    double spring() {
        try {
            Matcher running = RUNNING.matcher(Files.readString(LOG.toPath()));
            return running.find() ? Double.parseDouble(running.group(1)) : Double.NaN;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The sum of the series of a metric, of which there has to be one. */
    double metric(String name) {
        URI metrics = URI.create("http://127.0.0.1:" + management + "/actuator/prometheus");
        try (InputStream body = metrics.toURL().openStream()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
                    .map(line -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1)))
                    .reduce(Double::sum)
                    .orElseThrow(() -> new IllegalStateException("there is no metric " + name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it as kill -9 does. */
    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(LIMIT)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
