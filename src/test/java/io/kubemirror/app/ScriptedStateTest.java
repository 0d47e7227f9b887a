package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;
import static io.kubemirror.testing.scripted.ServerFault.delay;
import static io.kubemirror.testing.scripted.ServerFault.onWatchList;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testing.RequestLatch;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Iterator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Clients of open watches learn that the API server is gone and back (list-watch.md#fr-6). */
@Timeout(180)
class ScriptedStateTest {

    private static final Pattern STATE = Pattern.compile("state\":\"([a-z]+)\"");
    private static final String ASKED = "&allowWatchBookmarks=true&kubemirrorState=true";

    private final ScriptedApiServer server = ScriptedApiServer.create();
    private final ConfigurableApplicationContext kubemirror =
            ApplicationLauncher.with(
                    "kubemirror.upstream.server=" + server.url(),
                    "kubemirror.upstream.retry.base-delay=10ms",
                    "kubemirror.upstream.retry.max-delay=10ms",
                    "kubemirror.resources[0].resource=pods");
    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeEach
    void start() {
        server.create(pod("a", "x"));
        RestClient client = ApplicationLauncher.client(kubemirror, "local.server.port");
        WaitLimit.until(() -> client.get("/readyz").code() == 200);
    }

    @AfterEach
    void stop() {
        http.shutdownNow();
        kubemirror.close();
        server.close();
    }

    @Test
    void open_watches_report_an_outage_and_the_recovery() throws Exception {
        try (Stream<String> events = watch("", "text/event-stream");
                Stream<String> lines = watch(ASKED, "application/json")) {
            Iterator<String> states = states(events);
            Iterator<String> annotations = states(lines);

            server.stop();

            assertThat(states.next()).isEqualTo("stale");
            assertThat(annotations.next()).isEqualTo("stale");
            server.start();
            awaitSynced(states);
            awaitSynced(annotations);
        }
    }

    @Test
    void open_watch_reports_a_resynchronization() throws Exception {
        try (Stream<String> events = watch("", "text/event-stream")) {
            Iterator<String> states = states(events);
            RequestLatch latch = new RequestLatch();
            server.stop();
            server.create(pod("a", "y"));
            server.compact();
            // Not the list that finds out, after a refused connection, which server answers.
            server.fault(onWatchList(PODS), delay(latch));
            server.start();
            latch.awaitArrival();
            String state = states.next();
            while (!state.equals("resyncing")) {
                // The watch may open before the server refuses its revision.
                assertThat(state).isIn("stale", "synced");
                state = states.next();
            }

            latch.open();

            awaitSynced(states);
        }
    }

    private Stream<String> watch(String parameters, String accept)
            throws IOException, InterruptedException {
        URI uri =
                ApplicationLauncher.url(kubemirror, "local.server.port")
                        .resolve("/api/v1/pods?watch=1" + parameters);
        HttpRequest request = HttpRequest.newBuilder(uri).header("Accept", accept).build();
        return http.send(request, BodyHandlers.ofLines()).body();
    }

    /** The states in the lines of a watch. */
    private static Iterator<String> states(Stream<String> lines) {
        return lines.map(STATE::matcher)
                .filter(Matcher::find)
                .map(state -> state.group(1))
                .iterator();
    }

    /** Reads until the mirror has recovered; before that, every attempt to may be reported. */
    private static void awaitSynced(Iterator<String> states) {
        String state = states.next();
        while (!state.equals("synced")) {
            assertThat(state).isIn("stale", "resyncing");
            state = states.next();
        }
    }
}
