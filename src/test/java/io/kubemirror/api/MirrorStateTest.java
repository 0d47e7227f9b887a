package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Watches report the state of their mirror (list-watch.md#fr-6, #fr-7). */
class MirrorStateTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.678Z");
    private static final String WATCH = "/api/v1/pods?watch=1&resourceVersion=110";
    private static final String ASKED = WATCH + "&allowWatchBookmarks=true&stateBookmarks=true";
    private static final String ANNOTATIONS =
            "\"resourceVersion\":\"110\",\"annotations\":{\"kubemirror.io/state\":\"stale\","
                    + "\"kubemirror.io/state-since\":\"2026-01-02T03:04:05Z\"}";

    @AutoClose private static final ApiFixture SERVED = ApiFixture.golden();

    MirrorStateTest() {
        SERVED.restoreGolden();
        enter(Phase.WATCHING);
    }

    private static void enter(Phase phase) {
        SERVED.writer().report(new UpstreamStatus(phase, NOW, NOW, ""));
    }

    @Test
    void server_sent_events_report_no_state_if_the_client_declines() {
        try (WatchClient watch =
                SERVED.watch(WATCH + "&stateBookmarks=false", "Accept", "text/event-stream")) {
            enter(Phase.BACKING_OFF);
            SERVED.writer().upsert(ApiSamples.object("a", "x", 111));
            assertThat(watch.next()).startsWith("retry: ");
            assertThat(watch.next()).isEmpty();
            assertThat(watch.next()).isEqualTo("event: MODIFIED");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/json",
                "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
                "application/json;as=Table;g=meta.k8s.io;v=v1"
            })
    void json_watch_that_asks_gets_annotations_in_every_representation(String accept) {
        try (WatchClient watch = SERVED.watch(ASKED, "Accept", accept)) {
            enter(Phase.BACKING_OFF);
            assertThat(watch.next()).startsWith("{\"type\":\"BOOKMARK\"").contains(ANNOTATIONS);
        }
    }

    @Test
    void state_follows_the_initial_events_and_their_bookmark() {
        enter(Phase.SYNCHRONIZING);
        String url =
                "/api/v1/pods?watch=1&resourceVersion=0&allowWatchBookmarks=true&stateBookmarks=1"
                        + "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
        try (WatchClient watch = SERVED.watch(url)) {
            for (int i = 0; i < 3; i++) {
                assertThat(watch.next()).startsWith("{\"type\":\"ADDED\"");
            }
            assertThat(watch.next())
                    .contains("\"k8s.io/initial-events-end\":\"true\"")
                    .doesNotContain("kubemirror.io");
            assertThat(watch.next())
                    .contains("\"kubemirror.io/state\":\"resyncing\"")
                    .doesNotContain("k8s.io/initial-events-end");
        }
    }
}
