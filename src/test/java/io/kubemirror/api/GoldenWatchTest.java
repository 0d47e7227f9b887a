package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.net.http.HttpResponse;

/** The golden cases of watches that need no selector (list-watch.md#examples). */
class GoldenWatchTest {

    private static final String WATCH = "/api/v1/pods?watch=1";

    private static final ApiFixture SERVED = ApiFixture.golden();

    private final ApiClient client = SERVED.client();

    @BeforeEach
    void restore() {
        SERVED.restoreGolden();
    }

    @AfterAll
    static void stop() {
        SERVED.close();
    }

    @Test
    void go_10_watch_from_revision_zero_starts_with_the_current_state() {
        try (WatchClient watch = client.watch(WATCH + "&resourceVersion=0")) {
            assertThat(watch.code()).isEqualTo(200);
            assertThat(watch.header("Content-Type")).isEqualTo("application/json");
            assertThat(watch.header("Transfer-Encoding")).isEqualTo("chunked");
            assertThat(watch.next())
                    .isEqualTo(
                            "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x\",\"namespace\":\"a-b\",\"resourceVersion\":\"101\",\"labels\":{\"app\":\"v\"}}}}");
            assertThat(watch.brief()).isEqualTo("ADDED a/x 103");
            assertThat(watch.brief()).isEqualTo("ADDED a/y 102");
            SERVED.writer().upsert(ApiSamples.object("a", "z", 111));
            assertThat(watch.brief()).isEqualTo("ADDED a/z 111");
        }
    }

    @Test
    void go_11_bookmark_marks_the_end_of_initial_events() {
        try (WatchClient watch =
                client.watch(WATCH + "&resourceVersion=0&allowWatchBookmarks=true")) {
            assertThat(watch.brief()).isEqualTo("ADDED a-b/x 101");
            assertThat(watch.brief()).isEqualTo("ADDED a/x 103");
            assertThat(watch.brief()).isEqualTo("ADDED a/y 102");
            assertThat(watch.next())
                    .isEqualTo(
                            "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"110\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}");
        }
    }

    @Test
    void go_12_without_initial_events_the_first_event_is_the_next_change() {
        try (WatchClient watch =
                client.watch(
                        WATCH
                                + "&resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan")) {
            SERVED.writer().upsert(ApiSamples.object("a", "x", 120));
            assertThat(watch.brief()).isEqualTo("MODIFIED a/x 120");
        }
    }

    @Test
    void go_13_revision_before_the_window_sends_410_in_the_stream() {
        try (WatchClient watch = client.watch(WATCH + "&resourceVersion=109")) {
            assertThat(watch.code()).isEqualTo(200);
            assertThat(watch.next())
                    .isEqualTo(
                            "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"too"
                                + " old resource version: 109"
                                + " (110)\",\"reason\":\"Expired\",\"code\":410}}");
            watch.expectCleanEnd();
        }
    }

    @Test
    void go_16_deleted_event_has_the_revision_of_the_deletion() {
        try (WatchClient watch = client.watch(WATCH + "&resourceVersion=110")) {
            ApiSamples.delete(SERVED.writer(), "a-b", "x", 115);
            assertThat(watch.next())
                    .isEqualTo(
                            "{\"type\":\"DELETED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x\",\"namespace\":\"a-b\",\"resourceVersion\":\"115\",\"labels\":{\"app\":\"v\"}}}}");
        }
    }

    /** Of a mirror that was never restored, as a restored one takes the future for the past. */
    @Test
    void go_18_watch_from_a_future_revision_receives_only_later_changes() {
        try (ApiFixture fresh = ApiFixture.golden();
                WatchClient watch = fresh.client().watch(WATCH + "&resourceVersion=500")) {
            fresh.writer().upsert(ApiSamples.object("a", "x", 116));
            fresh.writer().upsert(ApiSamples.object("a", "y", 501));
            assertThat(watch.brief()).isEqualTo("MODIFIED a/y 501");
        }
    }

    @Test
    void go_19_send_initial_events_requires_resource_version_match() {
        HttpResponse<String> answer = client.get(WATCH + "&sendInitialEvents=true");
        assertThat(answer.statusCode()).isEqualTo(422);
        assertThat(answer.body())
                .isEqualTo(
                        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"ListOptions.meta.k8s.io"
                            + " \\\"\\\" is invalid: resourceVersionMatch: Forbidden:"
                            + " sendInitialEvents requires setting resourceVersionMatch to"
                            + " NotOlderThan\",\"reason\":\"Invalid\",\"details\":{\"group\":\"meta.k8s.io\",\"kind\":\"ListOptions\",\"causes\":[{\"reason\":\"FieldValueForbidden\",\"message\":\"Forbidden:"
                            + " sendInitialEvents requires setting resourceVersionMatch to"
                            + " NotOlderThan\",\"field\":\"resourceVersionMatch\"}]},\"code\":422}\n");
    }

    @Test
    void go_21_initial_events_show_the_current_state_not_the_requested_revision() {
        try (WatchClient watch =
                client.watch(
                        WATCH
                                + "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=105&allowWatchBookmarks=true")) {
            assertThat(watch.brief()).isEqualTo("ADDED a-b/x 101");
            assertThat(watch.brief()).isEqualTo("ADDED a/x 103");
            assertThat(watch.brief()).isEqualTo("ADDED a/y 102");
            assertThat(watch.brief()).isEqualTo("BOOKMARK 110");
        }
    }

    @Test
    void go_26_restarted_mirror_resumes_watches_only_from_its_list_revision_on() {
        try (ApiFixture restarted = ApiFixture.of("pods")) {
            restarted.writer().identify(ApiSamples.PODS);
            ApiSamples.synchronize(restarted.writer(), 300, ApiSamples.object("a", "x", 290));
            try (WatchClient old = restarted.client().watch(WATCH + "&resourceVersion=250");
                    WatchClient same = restarted.client().watch(WATCH + "&resourceVersion=300");
                    WatchClient ahead = restarted.client().watch(WATCH + "&resourceVersion=310")) {
                assertThat(old.next()).contains("too old resource version: 250 (300)");
                restarted.writer().upsert(ApiSamples.object("a", "x", 305));
                restarted.writer().upsert(ApiSamples.object("a", "x", 311));
                assertThat(same.brief()).isEqualTo("MODIFIED a/x 305");
                assertThat(same.brief()).isEqualTo("MODIFIED a/x 311");
                assertThat(ahead.brief()).isEqualTo("MODIFIED a/x 311");
            }
        }
    }

    @Test
    void watch_at_a_future_revision_times_out_in_the_stream() {
        try (WatchClient watch =
                client.watch(
                        WATCH
                                + "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=200")) {
            assertThat(watch.code()).isEqualTo(200);
            assertThat(watch.next()).contains("Too large resource version: 200, current: 110");
            watch.expectCleanEnd();
        }
    }

    @Test
    void watch_replays_changes_since_a_revision() {
        SERVED.writer().upsert(ApiSamples.object("a", "x", 120));
        SERVED.writer().upsert(ApiSamples.object("a", "z", 121));
        try (WatchClient watch = client.watch(WATCH + "&resourceVersion=120")) {
            assertThat(watch.brief()).isEqualTo("ADDED a/z 121");
        }
    }

    @Test
    void watch_ends_cleanly_after_timeout_seconds() {
        try (WatchClient watch = client.watch(WATCH + "&resourceVersion=110&timeoutSeconds=1")) {
            watch.expectCleanEnd();
        }
    }

    @Test
    void negative_timeout_seconds_sends_an_error_in_the_stream() {
        try (WatchClient watch = client.watch(WATCH + "&resourceVersion=110&timeoutSeconds=-1")) {
            assertThat(watch.next())
                    .isEqualTo(
                            "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"context"
                                + " deadline"
                                + " exceeded\",\"reason\":\"InternalError\",\"code\":500}}");
            watch.expectCleanEnd();
        }
    }

    @Test
    void deprecated_watch_path_sends_no_initial_events_end() {
        try (WatchClient watch =
                client.watch("/api/v1/watch/namespaces/a/pods?allowWatchBookmarks=true")) {
            assertThat(watch.brief()).isEqualTo("ADDED a/x 103");
            assertThat(watch.brief()).isEqualTo("ADDED a/y 102");
            SERVED.writer().upsert(ApiSamples.object("a", "x", 111));
            assertThat(watch.brief()).isEqualTo("MODIFIED a/x 111");
        }
    }

    @Test
    void namespace_watch_receives_no_events_of_other_namespaces() {
        try (WatchClient watch =
                client.watch("/api/v1/namespaces/a/pods?watch=true&resourceVersion=110")) {
            SERVED.writer().upsert(ApiSamples.object("a-b", "x", 111));
            SERVED.writer().upsert(ApiSamples.object("a", "x", 112));
            assertThat(watch.brief()).isEqualTo("MODIFIED a/x 112");
        }
    }
}
