package io.kubemirror.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;

/**
 * One list, read to its end.
 *
 * @param time from the request to the last byte
 * @param cpu what the server spent on it
 * @param bytes the length of the body
 */
record ListMeasurement(Duration time, Duration cpu, long bytes) {

    private static final Duration LIMIT = Duration.ofMinutes(1);

    /** Reads a list often enough for the resolution of processor times. */
    static ListMeasurement read(MeasuredServer side, String target, int times) {
        ProcessUsage before = side.usage();
        long begun = System.nanoTime();
        long bytes = 0;
        for (int i = 0; i < times; i++) {
            bytes = length(side, target);
        }
        Duration time = Duration.ofNanos(System.nanoTime() - begun).dividedBy(times);
        return new ListMeasurement(time, side.usage().cpuSince(before).dividedBy(times), bytes);
    }

    private static long length(MeasuredServer side, String target) {
        try {
            HttpURLConnection connection =
                    (HttpURLConnection)
                            URI.create("http://127.0.0.1:" + side.port() + target)
                                    .toURL()
                                    .openConnection();
            connection.setConnectTimeout((int) LIMIT.toMillis());
            connection.setReadTimeout((int) LIMIT.toMillis());
            connection.setRequestProperty("Accept", FanOut.JSON);
            byte[] buffer = new byte[1 << 16];
            long length = 0;
            try (InputStream in = connection.getInputStream()) {
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                    length += count;
                }
            }
            return length;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
