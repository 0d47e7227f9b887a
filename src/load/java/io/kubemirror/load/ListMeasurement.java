package io.kubemirror.load;

import module java.base;

/**
 * One list, read to its end.
 *
 * @param time from the request to the last byte
 * @param cpu what the server spent on it
 * @param bytes the length of the decompressed body
 */
record ListMeasurement(Duration time, Duration cpu, long bytes) {

    private static final String GZIP = "gzip";
    private static final Duration LIMIT = Duration.ofMinutes(1);

    /** Reads a list often enough for the resolution of processor times. */
    static ListMeasurement read(MeasuredServer side, String target, int times) {
        return read(side, target, times, "identity");
    }

    /** Reads a list once, compressed if the server compresses it. */
    static ListMeasurement readCompressed(MeasuredServer side, String target) {
        return read(side, target, 1, GZIP);
    }

    private static ListMeasurement read(
            MeasuredServer side, String target, int times, String encoding) {
        ProcessUsage before = side.usage();
        long begun = System.nanoTime();
        long bytes = 0;
        for (int i = 0; i < times; i++) {
            bytes = length(side, target, encoding);
        }
        Duration time = Duration.ofNanos(System.nanoTime() - begun).dividedBy(times);
        return new ListMeasurement(time, side.usage().cpuSince(before).dividedBy(times), bytes);
    }

    /** Returns the time of an answer that is an error. */
    static Duration refused(MeasuredServer side, String target, int times) {
        long begun = System.nanoTime();
        for (int i = 0; i < times; i++) {
            try {
                HttpURLConnection connection = request(side, target, "identity");
                if (connection.getResponseCode() < HttpURLConnection.HTTP_BAD_REQUEST) {
                    throw new IllegalStateException(target + " is answered");
                }
                try (InputStream error = connection.getErrorStream()) {
                    var _ = error.readAllBytes();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return Duration.ofNanos(System.nanoTime() - begun).dividedBy(times);
    }

    private static HttpURLConnection request(MeasuredServer side, String target, String encoding)
            throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection)
                        URI.create("http://127.0.0.1:" + side.port() + target)
                                .toURL()
                                .openConnection();
        connection.setConnectTimeout((int) LIMIT.toMillis());
        connection.setReadTimeout((int) LIMIT.toMillis());
        connection.setRequestProperty("Accept", FanOut.JSON);
        connection.setRequestProperty("Accept-Encoding", encoding);
        return connection;
    }

    private static long length(MeasuredServer side, String target, String encoding) {
        try {
            HttpURLConnection connection = request(side, target, encoding);
            byte[] buffer = new byte[1 << 16];
            long length = 0;
            try (InputStream in = body(connection)) {
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                    length += count;
                }
            }
            return length;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Decompresses as a client does, while the bytes arrive. */
    private static InputStream body(HttpURLConnection connection) throws IOException {
        InputStream body = connection.getInputStream();
        return GZIP.equals(connection.getContentEncoding())
                ? new GZIPInputStream(body, 1 << 13)
                : body;
    }
}
