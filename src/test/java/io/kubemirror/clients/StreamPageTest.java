package io.kubemirror.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.WaitLimit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A browser follows more resources than it has connections, on one (list-watch.md#streams). */
@Timeout(180)
class StreamPageTest {

    private static final int TYPES = 20;

    private static ResourceType type(int number) {
        return new ResourceType(
                "many.example.com",
                "v1",
                "Kind" + number,
                "kind" + number + "s",
                "kind" + number,
                true,
                List.of(),
                List.of());
    }

    @Test
    void page_follows_twenty_types_on_one_connection() {
        ExternalProgram.CHROMIUM.demand();
        String[] names =
                IntStream.range(0, TYPES)
                        .mapToObj(number -> type(number).groupResource())
                        .toArray(String[]::new);
        try (ApiFixture served = ApiFixture.of(Map.of(), names);
                Chromium chromium = new Chromium();
                BrowserTab tab = new BrowserTab(chromium)) {
            for (int i = 0; i < TYPES; i++) {
                served.writer(i).identify(type(i));
                ApiSamples.synchronize(served.writer(i), 100);
            }
            tab.open(URI.create("http://127.0.0.1:" + served.port() + "/version"));
            tab.look(
                    """
                    window.told = new Set();
                    const resources = '%s'.split(' ').map(name => 'resource=' + name).join('&');
                    const stream = new EventSource('/kubemirror/v1/watch?' + resources);
                    stream.addEventListener(
                        'ADDED', event => told.add(JSON.parse(event.data).resource));
                    """
                            .formatted(String.join(" ", names)));
            for (int i = 0; i < TYPES; i++) {
                served.writer(i).upsert(ApiSamples.object("a", "x", 101));
            }
            tab.await("told.size === " + TYPES);

            // The page itself may have come on another one, which is idle.
            Awaitility.await()
                    .atMost(WaitLimit.GENEROUS)
                    .untilAsserted(
                            () ->
                                    assertThat(served.gauge("kubemirror.connections.open"))
                                            .isBetween(1.0, 2.0));
        }
    }
}
