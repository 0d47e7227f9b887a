package io.kubemirror.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The watches of fabric8's client, as opposed to its informers.
 *
 * <p>The client watches by WebSocket. It adds {@code allowWatchBookmarks=true} to the request and
 * keeps the bookmarks to itself. On an HTTP watch, which it falls back to, it reports them to its
 * user (list-watch.md#ws-1).
 */
@WithApiServer
class Fabric8WatchTest {

    private static final Duration GENEROUS = Duration.ofSeconds(60);
    private static final String REQUESTED = "?allowWatchBookmarks=true&watch=true ";

    private final ApiServer server;
    private final String namespace;

    Fabric8WatchTest(ApiServer server, TestNamespace namespace) {
        this.server = server;
        this.namespace = namespace.name();
    }

    @Test
    void watch_reports_the_same_events_as_with_the_api_server_in_one_request() {
        assumeThat(server.url().getScheme()).isEqualTo("http");
        try (NamespaceFixture namespaceFixture = new NamespaceFixture(server, namespace);
                TcpRelay direct = new TcpRelay();
                TcpRelay mirrored = namespaceFixture.line()) {
            direct.lead(server.url().getPort());
            namespaceFixture.create("one");
            namespaceFixture.awaitConsistency();
            List<String> expected = new CopyOnWriteArrayList<>();
            List<String> actual = new CopyOnWriteArrayList<>();

            try (KubernetesClient original = client(direct.url());
                    KubernetesClient tested = client(mirrored.url());
                    Watch first = watch(original, expected);
                    Watch second = watch(tested, actual)) {
                assertThat(List.of(first, second)).doesNotContainNull();
                awaitInitialEvents(direct);
                awaitInitialEvents(mirrored);
                namespaceFixture.create("two");
                Awaitility.await().atMost(GENEROUS).until(() -> expected.size() >= 2);
                Awaitility.await().atMost(GENEROUS).until(() -> actual.size() >= 2);
            }

            assertThat(expected).startsWith("ADDED one", "ADDED two");
            assertThat(actual).startsWith("ADDED one", "ADDED two");
            assertThat(direct.asked()).containsOnlyOnce(REQUESTED);
            assertThat(mirrored.asked()).containsOnlyOnce(REQUESTED);
        }
    }

    private static void awaitInitialEvents(TcpRelay line) {
        Awaitility.await()
                .atMost(GENEROUS)
                .until(() -> line.answered().contains("k8s.io/initial-events-end"));
    }

    private Watch watch(KubernetesClient client, List<String> events) {
        return client.pods().inNamespace(namespace).watch(new EventRecorder(events));
    }

    private static KubernetesClient client(URI url) {
        Config config = new ConfigBuilder(Config.empty()).withMasterUrl(url.toString()).build();
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    private record EventRecorder(List<String> events) implements Watcher<Pod> {

        @Override
        public void eventReceived(Action action, Pod pod) {
            events.add(action + " " + pod.getMetadata().getName());
        }

        @Override
        public void onClose(WatcherException cause) {}
    }
}
