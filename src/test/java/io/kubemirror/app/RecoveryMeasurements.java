package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.configMap;

import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.ServerBinaries;

import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Measures, with a Kubernetes API server that is stopped again and again, how long after it accepts
 * connections all mirrors of a process are true. Printed as a table; too slow for every build, so
 * it runs only when it is named:
 *
 * <pre>{@code
 * KUBEBUILDER_ASSETS=... mvn test -Dtest=RecoveryMeasurements
 * KUBEBUILDER_ASSETS=... mvn test -Dtest=RecoveryMeasurements -Doutages=1,1,5,60 -Dmirrors=1,10
 * }</pre>
 */
class RecoveryMeasurements {

    private static final String OUTAGES = "1,1,1,1,1,5,5,5,5,5,20,20,20,20,20,60,60";
    private static final Duration POLL = Duration.ofMillis(10);
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private final List<Integer> sizes = numbers("mirrors", "1,10");
    private final List<Integer> outages = numbers("outages", OUTAGES);

    private static List<Integer> numbers(String property, String usual) {
        return List.of(System.getProperty(property, usual).split(",")).stream()
                .map(Integer::valueOf)
                .toList();
    }

    /** A change is made as soon as the server takes it; a mirror that shows it is true. */
    @Test
    void seconds_until_consistent_again() throws Exception {
        try (RealApiServer server =
                        RealApiServer.start(ServerBinaries.find().orElseThrow(), List.of());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<ConfigurableApplicationContext> processes = started(server);
            List<String> columns = new ArrayList<>(List.of("outage in s", "change taken after s"));
            sizes.forEach(size -> columns.add("true after s, %d mirrors".formatted(size)));
            MarkdownTablePrinter table =
                    new MarkdownTablePrinter(
                            "Seconds until true again", columns.toArray(String[]::new));
            for (int i = 0; i < outages.size(); i++) {
                table.row(outage(server, processes, threads, i));
            }
            processes.forEach(ConfigurableApplicationContext::close);
        }
    }

    private List<ConfigurableApplicationContext> started(RealApiServer server) {
        IntStream.range(0, most()).forEach(i -> server.ensureNamespace(namespace(i)));
        return sizes.stream().map(size -> process(server, size)).toList();
    }

    private int most() {
        return sizes.stream().mapToInt(Integer::intValue).max().orElseThrow();
    }

    private static String namespace(int number) {
        return "recovery-" + number;
    }

    private static ConfigurableApplicationContext process(RealApiServer server, int mirrors) {
        List<String> settings = new ArrayList<>();
        settings.add("kubemirror.upstream.server=" + server.url());
        settings.add("kubemirror.resources[0].resource=configmaps");
        for (int i = 0; i < mirrors; i++) {
            settings.add("kubemirror.resources[0].namespaces[%d]=%s".formatted(i, namespace(i)));
        }
        ConfigurableApplicationContext process =
                ApplicationLauncher.with(settings.toArray(String[]::new));
        RestClient client = client(process);
        for (int i = 0; i < mirrors; i++) {
            String path = "/api/v1/namespaces/%s/configmaps".formatted(namespace(i));
            await(() -> client.get(path).code() == 200);
        }
        return process;
    }

    private static RestClient client(ConfigurableApplicationContext process) {
        String port = process.getEnvironment().getRequiredProperty("local.server.port");
        return RestClient.of(URI.create("http://127.0.0.1:" + port));
    }

    private Object[] outage(
            RealApiServer server,
            List<ConfigurableApplicationContext> processes,
            ExecutorService threads,
            int number)
            throws InterruptedException, ExecutionException {
        server.stop();
        TimeUnit.SECONDS.sleep(outages.get(number));
        Future<Long> accepting = threads.submit(timed(() -> accepts(server.url())));
        Future<?> start = threads.submit((Runnable) server::start);
        long returned = accepting.get();
        String name = "after-" + number;
        Future<Long> changed = threads.submit(timed(() -> change(server, name)));
        List<Future<Long>> seen = new ArrayList<>();
        for (int i = 0; i < processes.size(); i++) {
            RestClient client = client(processes.get(i));
            int mirrors = sizes.get(i);
            seen.add(threads.submit(timed(() -> shows(client, mirrors, name))));
        }
        List<Object> row = new ArrayList<>();
        row.add(outages.get(number));
        row.add(seconds(returned, changed.get()));
        for (Future<Long> each : seen) {
            row.add(seconds(returned, each.get()));
        }
        start.get();
        return row.toArray();
    }

    private static double seconds(long from, long to) {
        return (to - from) / 1e9;
    }

    private static Callable<Long> timed(BooleanSupplier condition) {
        return () -> {
            await(condition);
            return System.nanoTime();
        };
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + LIMIT);
            }
            try {
                TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
        }
    }

    private static boolean accepts(URI url) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(url.getHost(), url.getPort()));
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /** Whether there is an object of a name in each namespace, after an attempt to create them. */
    private boolean change(RealApiServer server, String name) {
        try {
            for (int i = 0; i < most(); i++) {
                String path = "/api/v1/namespaces/%s/configmaps/%s".formatted(namespace(i), name);
                if (server.client().get(path).code() != 200) {
                    server.create(configMap(namespace(i), name));
                }
            }
            return true;
        } catch (UncheckedIOException | IllegalStateException _) {
            return false;
        }
    }

    private static boolean shows(RestClient client, int mirrors, String name) {
        return IntStream.range(0, mirrors)
                .mapToObj(i -> "/api/v1/namespaces/%s/configmaps/%s".formatted(namespace(i), name))
                .allMatch(path -> client.get(path).code() == 200);
    }
}
