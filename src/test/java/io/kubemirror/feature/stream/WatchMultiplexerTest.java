package io.kubemirror.feature.stream;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiClient;
import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.WatchClient;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.testing.WaitLimit;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;

/** One stream of several resources (list-watch.md#streams). */
@Timeout(300)
class WatchMultiplexerTest {

    private static final List<String> RESOURCES = List.of("pods", "deployments.apps", "nodes");
    private static final List<ResourceType> TYPES =
            List.of(ApiSamples.PODS, ApiSamples.DEPLOYMENTS, ApiSamples.NODES);
    private static final String STREAM =
            "/kubemirror/v1/watch?resource=pods&resource=deployments.apps&resource=nodes";
    private static final String[] EVENTS = {"Accept", "text/event-stream"};

    @AutoClose
    private final ApiFixture served =
            ApiFixture.of(
                    new Window(8, 8, Duration.ofSeconds(75), 1 << 20),
                    RESOURCES.toArray(String[]::new));

    private final ApiClient client = served.client();

    @BeforeEach
    void fill() {
        ApiSamples.fillWithGoldenPods(served.writer());
        for (int i = 1; i < TYPES.size(); i++) {
            served.writer(i).identify(TYPES.get(i), DeclaredFields.NONE);
            ApiSamples.synchronize(served.writer(i), 100);
        }
    }

    private WatchClient watch(String more, String... headers) {
        return client.watch(STREAM + more, headers);
    }

    @Test
    void each_resource_has_its_state_and_the_end_of_it_and_then_its_changes() {
        try (WatchClient watch = watch("&stateBookmarks=false")) {
            assertThat(watch.code()).isEqualTo(200);
            assertThat(watch.header("Content-Type")).isEqualTo("application/json");
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                lines.add(watch.next());
            }
            assertThat(lines)
                    .filteredOn(line -> line.contains("\"initial\":true"))
                    .hasSize(3)
                    .allMatch(
                            line ->
                                    line.startsWith(
                                            "{\"type\":\"ADDED\",\"resource\":\"pods\",\"initial\":true,\"object\":{"));
            assertThat(lines)
                    .filteredOn(line -> line.contains("\"k8s.io/initial-events-end\":\"true\""))
                    .hasSize(3)
                    .allMatch(line -> line.startsWith("{\"cursor\":\""));
            served.writer(1).upsert(ApiSamples.object("a", "web", 112));
            assertThat(watch.next())
                    .matches(
                            "\\{\"cursor\":\"[-_.0-9A-Za-z]+\",\"type\":\"ADDED\","
                                    + "\"resource\":\"deployments.apps\",\"object\":\\{.*");
            ApiSamples.delete(served.writer(), "a", "x", 113);
            assertThat(watch.next())
                    .contains("\"type\":\"DELETED\",\"resource\":\"pods\",\"object\":{");
        }
    }

    @Test
    void server_sent_events_have_the_cursor_as_id() {
        String id;
        try (WatchClient watch = watch("&stateBookmarks=false", EVENTS)) {
            assertThat(watch.header("Content-Type")).isEqualTo("text/event-stream");
            id = lastId(watch, 3);
        }
        served.writer(2).upsert(ApiSamples.object("", "n", 115));
        try (WatchClient watch = watch("", "Accept", "text/event-stream", "Last-Event-ID", id)) {
            assertThat(watch.next()).matches("retry: [1-3][0-9]{3}");
            assertThat(watch.next()).isEmpty();
            assertThat(watch.next()).startsWith("id: ").isNotEqualTo("id: " + id);
            assertThat(watch.next()).isEqualTo("event: ADDED");
            assertThat(watch.next())
                    .startsWith("data: {\"type\":\"ADDED\",\"resource\":\"nodes\",\"object\":{");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"deployments.apps", "deployments.v1.apps", "pods", "pods.v1."})
    void resource_is_named_as_in_the_configuration(String name) {
        try (WatchClient watch = client.watch("/kubemirror/v1/watch?resource=" + name)) {
            assertThat(watch.code()).isEqualTo(200);
            assertThat(watch.next()).contains("\"resource\":\"" + name + "\"");
        }
    }

    /** An application waits for 429, and gives up at 404. */
    @ParameterizedTest
    @ValueSource(strings = {"deployments.apps", "deployments.v1.apps"})
    void resource_that_is_configured_with_a_version_is_awaited(String name) {
        try (ApiFixture starting = ApiFixture.of("deployments.v1.apps")) {
            assertThat(starting.client().get("/kubemirror/v1/watch?resource=" + name).statusCode())
                    .isEqualTo(429);
        }
    }

    /** Reads on to the end of so many states. */
    private static String lastId(WatchClient watch, int states) {
        String id = "";
        int ends = 0;
        while (ends < states) {
            String line = watch.next();
            id = line.startsWith("id: ") ? line.substring(4) : id;
            ends += line.contains("initial-events-end") ? 1 : 0;
        }
        return id;
    }

    /** Reads the states of all resources, and returns the cursor of the end. */
    private String readStates() {
        String line = "";
        try (WatchClient watch = watch("&stateBookmarks=false")) {
            for (int ends = 0; ends < TYPES.size(); ) {
                line = watch.next();
                ends += line.contains("initial-events-end") ? 1 : 0;
            }
        }
        return cursor(line);
    }

    private static String cursor(String line) {
        return line.replaceFirst("\\{\"cursor\":\"([^\"]*)\".*", "$1");
    }

    /** More changes of the pods than their history has. */
    private void outrunHistory() {
        for (int i = 0; i < 20; i++) {
            served.writer().upsert(ApiSamples.object("a", "x", 120 + i));
        }
    }

    @Test
    void only_the_resource_whose_history_is_gone_begins_again() {
        String cursor = readStates();
        outrunHistory();
        served.writer(1).upsert(ApiSamples.object("a", "web", 150));

        try (WatchClient watch = watch("&stateBookmarks=false&cursor=" + cursor)) {
            List<String> lines = Stream.generate(watch::next).limit(6).toList();

            assertThat(lines)
                    .filteredOn(line -> line.contains("\"type\":\"ERROR\""))
                    .singleElement()
                    .asString()
                    .contains("\"resource\":\"pods\"", "\"code\":410");
            assertThat(lines)
                    .filteredOn(line -> line.contains("\"resource\":\"pods\",\"initial\":true"))
                    .hasSize(3)
                    .anyMatch(line -> line.contains("\"resourceVersion\":\"139\""));
            assertThat(lines)
                    .filteredOn(line -> line.contains("initial-events-end"))
                    .singleElement()
                    .asString()
                    .contains("\"resource\":\"pods\"");
            assertThat(lines)
                    .filteredOn(line -> line.contains("\"resource\":\"deployments.apps\""))
                    .singleElement()
                    .asString()
                    .contains("\"type\":\"ADDED\"", "\"name\":\"web\"");
        }
    }

    @Test
    void client_that_resumes_after_an_error_does_not_get_it_again() {
        String old = readStates();
        outrunHistory();
        String error;
        try (WatchClient watch = watch("&stateBookmarks=false&cursor=" + old)) {
            error = watch.next();
        }
        assertThat(error)
                .matches(
                        "\\{\"cursor\":\"[-_.0-9A-Za-z]+\",\"type\":\"ERROR\",\"resource\":\"pods\","
                            + ".*\"code\":410.*");
        try (WatchClient watch = watch("&stateBookmarks=false&cursor=" + cursor(error))) {
            assertThat(watch.next()).contains("\"resource\":\"pods\",\"initial\":true");
        }
    }

    @Test
    void cursor_that_was_changed_or_is_of_another_request_is_refused() {
        String cursor = readStates();
        String changed = cursor.replaceFirst("^.", cursor.startsWith("1") ? "2" : "1");
        String half = "shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000')";

        for (String wrong :
                List.of(
                        STREAM + "&cursor=" + changed,
                        STREAM + "&labelSelector=app%3Dv&cursor=" + cursor,
                        STREAM + "&shardSelector=" + half + "&cursor=" + cursor,
                        "/kubemirror/v1/watch?resource=pods&cursor=" + cursor)) {
            assertThat(client.get(wrong).statusCode()).as(wrong).isEqualTo(400);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "?x | 400 | resource names what to watch",
                "?resource= | 400 | such as resource=pods",
                "?resource=pods&resource=Services | 400 | Services' is not a resource",
                "?resource=pods/log | 400 | pods/log' is not a resource",
                "?resource=pods,nodes | 400 | pods,nodes' is not a resource",
                "?resource=pods&resource=pods | 400 | the same resource twice",
                "?resource=pods&resource=secrets | 404 | secrets",
                "?resource=deployments.v1beta1.apps | 404 | deployments",
                "?resource=pods.v1 | 404 | pods",
                "?resource=pods&resource=nodes&namespace=a | 400 | nodes is not in namespaces",
                "?resource=pods&resourceVersion=1 | 400 | use cursor",
                "?resource=pods&cursor=1.. | 400 | the cursor was changed",
                "?resource=pods&fieldSelector=spec.x%3D1 | 400 | spec.x",
                "?resource=pods&timeoutSeconds=-1 | 400 | not negative",
                "?resource=pods&allowWatchBookmarks=false | 400 | needs bookmarks",
                "?resource=pods&namespace=a%2Fb | 400 | namespace is not the name of one",
            })
    void request_that_cannot_be_served_says_why(String query, int code, String why) {
        HttpResponse<String> answer = client.get("/kubemirror/v1/watch" + query);
        assertThat(answer.statusCode()).isEqualTo(code);
        assertThat(answer.body()).contains(why);
    }

    @Test
    void removed_mirror_ends_the_stream_cleanly_and_its_watches_are_gone() {
        try (WatchClient watch = watch("&stateBookmarks=false", EVENTS)) {
            lastId(watch, 3);
            WaitLimit.until(() -> served.openWatches() == 3);
            served.removeMirrors();
            assertThat(watch.next()).isEmpty();
            watch.expectCleanEnd();
        }
    }
}
