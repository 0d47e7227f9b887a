package io.kubemirror.load;

import module java.base;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Writes config maps of 1 KB to the API server, each with the number of its event. */
final class ConfigMapWriter implements AutoCloseable {

    /** Makes the whole event about 1 KB. */
    private static final int PADDING = 600;

    private static final int THREADS = 8;

    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final String collection;
    private final IntFunction<String> names;
    private final String padding;

    /**
     * A writer.
     *
     * @param server the API server
     * @param namespace where to write
     * @param names the object for each event
     */
    ConfigMapWriter(MeasuredServer server, String namespace, IntFunction<String> names) {
        this(server, namespace, names, PADDING);
    }

    /** A writer of config maps of a size, which is that of what pads them. */
    ConfigMapWriter(
            MeasuredServer server, String namespace, IntFunction<String> names, int padding) {
        this.collection =
                "http://127.0.0.1:%d/api/v1/namespaces/%s/configmaps"
                        .formatted(server.port(), namespace);
        this.names = names;
        this.padding = "x".repeat(padding);
    }

    /** Creates an object without a number, which does not count as an event. */
    void create(String name) {
        send(
                "POST",
                collection,
                """
                {"metadata":{"name":"%s"},"data":{"padding":"%s"}}\
                """
                        .formatted(name, padding));
    }

    /** Creates the object of an event. */
    void create(int event, DeliveryTimes deliveryTimes) {
        send("POST", collection, body(event));
        deliveryTimes.answered(event, System.nanoTime());
    }

    /** Deletes all objects of the namespace. */
    void deleteAll() {
        send("DELETE", collection, "{}");
    }

    /** Writes events as fast as the server takes them. */
    void burst(int first, int count, DeliveryTimes deliveryTimes) {
        List<Future<?>> writes = new ArrayList<>();
        for (int i = first; i < first + count; i++) {
            int event = i;
            writes.add(threads.submit(() -> write(event, deliveryTimes)));
        }
        join(writes);
    }

    /** Writes events at a rate for a time, whether or not earlier writes have been answered. */
    int steadily(int perSecond, Duration time, DeliveryTimes deliveryTimes) {
        int count = (int) (perSecond * time.toSeconds());
        List<Future<?>> writes = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            Pacer.until(start + i * 1_000_000_000L / perSecond);
            int event = i;
            writes.add(threads.submit(() -> write(event, deliveryTimes)));
        }
        join(writes);
        return count;
    }

    private static void join(List<Future<?>> writes) {
        try {
            for (Future<?> each : writes) {
                each.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private void write(int event, DeliveryTimes deliveryTimes) {
        send("PUT", collection + "/" + names.apply(event), body(event));
        deliveryTimes.answered(event, System.nanoTime());
    }

    /** Without the time, the second measurement would change nothing. */
    private String body(int event) {
        return """
        {"metadata":{"name":"%s","managedFields":[{}]},"data":{"number":"%d","at":"%d","padding":"%s"}}\
        """
                .formatted(names.apply(event), event, System.nanoTime(), padding);
    }

    private void send(String method, String url, String body) {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(url))
                        .timeout(LIMIT)
                        .header("Content-Type", "application/json")
                        .method(method, BodyPublishers.ofString(body))
                        .build();
        try {
            HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
            if (response.statusCode() >= 300) {
                throw new IllegalStateException(method + " " + url + ": " + response.body());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        threads.close();
        http.close();
    }
}
