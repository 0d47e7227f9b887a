package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testing.RestClient;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Watches as server-sent events (list-watch.md#server-sent-events). */
class ServerSentEventsTest {

    private static final String WATCH = "/api/v1/pods?watch=1";
    private static final String[] ACCEPT = {"Accept", "text/event-stream"};

    @AutoClose private static final ApiFixture SERVED = ApiFixture.golden();

    private final RestClient client = SERVED.client();

    ServerSentEventsTest() {
        SERVED.restoreGolden();
    }

    @Test
    void initial_events_have_no_id_and_later_events_have_one() {
        try (WatchClient watch = SERVED.watch(WATCH + "&resourceVersion=0", ACCEPT)) {
            assertThat(watch.header("Content-Type")).isEqualTo("text/event-stream");
            assertThat(watch.header("Cache-Control")).isEqualTo("no-cache, private");
            assertThat(watch.header("X-Accel-Buffering")).isEqualTo("no");
            expectRetry(watch);
            for (String place : new String[] {"a-b/x 101", "a/x 103", "a/y 102"}) {
                assertThat(watch.next()).isEqualTo("event: ADDED");
                assertThat(data(watch)).isEqualTo("ADDED " + place);
                assertThat(watch.next()).isEmpty();
            }
            assertThat(watch.next()).isEqualTo("event: BOOKMARK");
            assertThat(watch.next()).isEqualTo("id: 110");
            assertThat(watch.next()).contains("\"k8s.io/initial-events-end\":\"true\"");
            assertThat(watch.next()).isEmpty();
            SERVED.writer().upsert(ApiSamples.object("a", "x", 112));
            assertThat(watch.next()).isEqualTo("event: MODIFIED");
            assertThat(watch.next()).isEqualTo("id: 112");
            assertThat(data(watch)).isEqualTo("MODIFIED a/x 112");
            assertThat(watch.next()).isEmpty();
        }
    }

    @Test
    void data_field_equals_the_json_line_of_a_plain_watch() {
        try (WatchClient sent =
                        SERVED.watch(
                                WATCH + "&resourceVersion=110&allowWatchBookmarks=false", ACCEPT);
                WatchClient lines = SERVED.watch(WATCH + "&resourceVersion=110")) {
            ApiSamples.delete(SERVED.writer(), "a", "x", 115);
            expectRetry(sent);
            assertThat(sent.next()).isEqualTo("event: DELETED");
            assertThat(sent.next()).isEqualTo("id: 115");
            assertThat(sent.next()).isEqualTo("data: " + lines.next());
        }
    }

    @Test
    void last_event_id_overrides_the_start_in_the_url() {
        SERVED.writer().upsert(ApiSamples.object("a", "x", 120));
        SERVED.writer().upsert(ApiSamples.object("a", "y", 121));
        String url =
                WATCH
                        + "&resourceVersion=0&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
        try (WatchClient watch =
                SERVED.watch(url, "Accept", "text/event-stream", "Last-Event-ID", "120")) {
            expectRetry(watch);
            assertThat(watch.next()).isEqualTo("event: MODIFIED");
            assertThat(watch.next()).isEqualTo("id: 121");
            assertThat(data(watch)).isEqualTo("MODIFIED a/y 121");
        }
    }

    @Test
    void expired_last_event_id_is_cleared() {
        try (WatchClient watch =
                SERVED.watch(WATCH, "Accept", "text/event-stream", "Last-Event-ID", "50")) {
            expectRetry(watch);
            assertThat(watch.next()).isEqualTo("event: ERROR");
            assertThat(watch.next()).isEqualTo("id:");
            assertThat(watch.next())
                    .startsWith("data: {\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\"")
                    .contains("too old resource version: 50 (110)");
            assertThat(watch.next()).isEmpty();
            watch.expectCleanEnd();
        }
    }

    @Test
    void errors_before_the_stream_use_http_status_codes() {
        assertThat(client.get(WATCH + "&limit=x", ACCEPT).code()).isEqualTo(400);
        assertThat(client.get(WATCH, "Accept", "text/event-stream", "Last-Event-ID", "x").body())
                .contains("strconv.ParseUint: parsing \\\"x\\\": invalid syntax");
    }

    private static void expectRetry(WatchClient watch) {
        assertThat(watch.next()).matches("retry: [1-3][0-9]{3}");
        assertThat(watch.next()).isEmpty();
    }

    private static String data(WatchClient watch) {
        String line = watch.next();
        assertThat(line).startsWith("data: ");
        return WatchClient.brief(line.substring("data: ".length()));
    }
}
