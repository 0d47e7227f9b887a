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
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The watches of fabric8's client, as opposed to its informers: WebSocket from an API server, plain
 * HTTP from kubemirror.
 *
 * <p>The client adds {@code allowWatchBookmarks=true} to the options of the WebSocket watch and
 * keeps these bookmarks to itself. The HTTP watch that it falls back to takes the same options, so
 * that it believes its user has asked for bookmarks and passes them on. Servers cannot tell the two
 * apart, as both requests say the same.
 */
@WithApiServer
class Fabric8WatchTest {

    private static final Duration GENEROUS = Duration.ofSeconds(60);
    private static final String ASKED = "?allowWatchBookmarks=true&watch=true ";

    /** A type, and the revision and annotations that follow in a bookmark. */
    private static final Pattern EVENT =
            Pattern.compile(
                    "\"type\":\"(?:ADDED|BOOKMARK\",\"object\":\\{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
                        + "\"metadata\":\\{\"resourceVersion\":\"\\d+\",\"annotations\":"
                        + "\\{[^}]*\\})");

    private final ApiServer server;
    private final String namespace;

    Fabric8WatchTest(ApiServer server, TestNamespace namespace) {
        this.server = server;
        this.namespace = namespace.name();
    }

    @Test
    void a_watch_is_asked_for_and_answered_alike_with_and_without_web_socket() {
        assumeThat(server.url().getScheme()).isEqualTo("http");
        try (NamespaceFixture namespaceFixture = new NamespaceFixture(server, namespace);
                TcpRelay direct = new TcpRelay();
                TcpRelay mirrored = namespaceFixture.line()) {
            direct.lead(server.url().getPort());
            namespaceFixture.create("one");
            namespaceFixture.awaitTruth();

            List<String> genuine = events(direct);

            assertThat(genuine).hasSize(2);
            assertThat(events(mirrored)).isEqualTo(genuine);
            assertThat(direct.asked()).containsOnlyOnce(ASKED);
            assertThat(mirrored.asked().split(Pattern.quote(ASKED), -1)).hasSize(3);
        }
    }

    private List<String> events(TcpRelay line) {
        try (KubernetesClient client = client(line.url());
                Watch watch = client.pods().inNamespace(namespace).watch(new Ignoring())) {
            assertThat(watch).isNotNull();
            Awaitility.await()
                    .atMost(GENEROUS)
                    .until(() -> line.answered().contains("k8s.io/initial-events-end"));
            return EVENT.matcher(line.answered()).results().map(MatchResult::group).toList();
        }
    }

    private static KubernetesClient client(URI url) {
        Config config = new ConfigBuilder(Config.empty()).withMasterUrl(url.toString()).build();
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    private static final class Ignoring implements Watcher<Pod> {

        @Override
        public void eventReceived(Action action, Pod pod) {}

        @Override
        public void onClose(WatcherException cause) {}
    }
}
