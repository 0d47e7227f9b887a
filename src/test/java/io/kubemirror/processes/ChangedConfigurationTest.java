package io.kubemirror.processes;

import static io.kubemirror.testing.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

/** A process ends, and the next one goes on for its clients and its server. */
@WithApiServer
class ChangedConfigurationTest {

    private static final int WATCHES = 1_000;

    private final ApiServer server;
    private String namespace = "";
    private String configMaps = "";
    private final CountDownLatch startedAgain = new CountDownLatch(1);

    @TempDir Path directory;

    ChangedConfigurationTest(ApiServer server) {
        this.server = server;
    }

    /** By itself after a changed file, or killed with events that are not on the disk. */
    @ParameterizedTest
    @ValueSource(strings = {"changed", "killed"})
    void process_that_ends_costs_no_event_no_410_and_no_list(String how) throws Exception {
        namespace = how + "-configuration";
        configMaps = "/api/v1/namespaces/" + namespace + "/configmaps";
        server.ensureNamespace(namespace);
        configure("2m");
        try (KubemirrorProcess kubemirror = start();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            kubemirror.awaitReady();
            JsonNode list = kubemirror.client().get(configMaps).json();
            String first = list.at("/metadata/resourceVersion").asString();
            RestClient clients = kubemirror.client().patient();
            List<Future<List<String>>> followers =
                    IntStream.range(0, WATCHES)
                            .mapToObj(_ -> threads.submit(() -> follow(clients, first)))
                            .toList();
            WaitLimit.until(() -> sum(kubemirror, "kubemirror_watches_open") >= WATCHES);
            create("before", 5);
            awaitStored(kubemirror);

            if (how.equals("changed")) {
                configure("3m");
                create("meanwhile", 5);
                assertThat(kubemirror.awaitEnd()).isEqualTo(75);
            } else {
                create("meanwhile", 5);
                kubemirror.kill();
            }
            kubemirror.startAgain();
            kubemirror.awaitReady();
            startedAgain.countDown();
            create("after", 5);

            for (Future<List<String>> follower : followers) {
                assertThat(follower.get()).isEqualTo(names());
            }
            assertThat(sum(kubemirror, "kubemirror_upstream_list_duration_seconds_count"))
                    .as("lists and initial events of the second process")
                    .isZero();
        }
    }

    private KubemirrorProcess start() {
        List<String> settings = new ArrayList<>(server.settings());
        settings.add("kubemirror.persistence.directory=" + directory.resolve("store"));
        settings.add("kubemirror.exit-on-change=true");
        settings.add("spring.config.additional-location=file:" + directory + "/");
        return KubemirrorProcess.start(settings.toArray(String[]::new));
    }

    /** Replaces the file in one step. */
    private void configure(String span) throws IOException {
        Path next =
                Files.writeString(
                        directory.resolve("next"),
                        """
                        kubemirror:
                          history: {span: %s}
                          resources:
                            - {resource: configmaps, namespaces: [%s]}
                        """
                                .formatted(span, namespace));
        Files.move(
                next, directory.resolve("application.yaml"), StandardCopyOption.REPLACE_EXISTING);
    }

    private void create(String name, int count) {
        for (int i = 0; i < count; i++) {
            server.create(configMap(namespace, name + "-" + i));
        }
    }

    private static List<String> names() {
        return Stream.of("before", "meanwhile", "after")
                .flatMap(name -> IntStream.range(0, 5).mapToObj(i -> name + "-" + i))
                .toList();
    }

    /** Watches until the last object, and resumes once where the first process ended. */
    private List<String> follow(RestClient client, String from) throws InterruptedException {
        List<String> seen = new ArrayList<>();
        String revision = read(client, from, seen);
        startedAgain.await();
        read(client, revision, seen);
        return seen;
    }

    /** Reads events to the end of the stream or to the last object, and returns the revision. */
    private String read(RestClient client, String from, List<String> seen) {
        String revision = from;
        String target = configMaps + "?watch=1&allowWatchBookmarks=true&resourceVersion=" + from;
        try (WatchReader watch = client.watch(target)) {
            assertThat(watch.code()).isEqualTo(200);
            while (!seen.contains(names().getLast())) {
                Optional<String> line = watch.nextLine();
                if (line.isEmpty()) {
                    return revision;
                }
                JsonNode event = JsonTrees.parse(line.get());
                String type = event.path("type").asString();
                assertThat(type).as(line.get()).isIn("ADDED", "BOOKMARK");
                revision = event.at("/object/metadata/resourceVersion").asString();
                if (type.equals("ADDED")) {
                    seen.add(event.at("/object/metadata/name").asString());
                }
            }
        } catch (UncheckedIOException killed) {
            // What came before counts.
        }
        return revision;
    }

    private static void awaitStored(KubemirrorProcess process) {
        process.await(
                () ->
                        process.metric("kubemirror_persistence_size_bytes") > 0
                                && process.metric("kubemirror_persistence_age_seconds") < 1);
    }

    /** The sum of a metric over all its labels. */
    private static double sum(KubemirrorProcess process, String name) {
        return process.management()
                .get("/actuator/prometheus")
                .body()
                .lines()
                .filter(line -> line.matches(name + "[ {].*"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
