package io.kubemirror.feature.conflate;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.WatchClient;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients that ask for the newest state instead of every change (list-watch.md#cw-1, #cw-5). */
@Timeout(60)
class ConflatedWatchTest {

    private static final String WATCH = "/api/v1/pods?watch=1&resourceVersion=110";
    private static final String PADDING = "p".repeat(10_000);

    @Test
    void slow_client_gets_the_newest_state_and_the_gap() {
        try (ApiFixture served = ApiFixture.golden();
                WatchClient late =
                        WatchClient.openStalled(served.port(), WATCH + "&conflate=true")) {
            int revision = 110;
            while (served.backlog() < 500) {
                revision++;
                served.writer().upsert(ApiSamples.object("b", PADDING + revision % 3, revision));
            }

            late.readOn();

            List<String> received = new ArrayList<>();
            do {
                received.add(late.next());
            } while (!received.getLast().contains("\"" + revision + "\",\"annotations\""));
            assertThat(received).hasSizeLessThan(revision - 110);
            assertThat(received.subList(0, received.size() - 1))
                    .noneMatch(line -> line.contains("ERROR"));
            assertThat(received.getLast()).contains("\"BOOKMARK\"", "\"kubemirror.io/gap\":\"");
        }
    }

    /** The second parameter is that of earlier versions. */
    @ParameterizedTest
    @CsvSource({"'',true", "&conflate=true,false", "&kubemirrorConflate=true,false"})
    void client_that_asks_gets_bookmarks(String parameter, String header) {
        try (ApiFixture served = ApiFixture.golden();
                WatchClient watch =
                        served.client()
                                .watch(
                                        "/api/v1/pods?watch=1" + parameter,
                                        "Kubemirror-Conflate",
                                        header)) {
            for (int i = 0; i < 3; i++) {
                assertThat(watch.next()).contains("ADDED");
            }
            assertThat(watch.next()).contains("BOOKMARK", "initial-events-end");
        }
    }

    @Test
    void client_may_decline_bookmarks() {
        try (ApiFixture served = ApiFixture.golden();
                WatchClient watch =
                        served.client()
                                .watch(
                                        "/api/v1/pods?watch=1&allowWatchBookmarks=false",
                                        "Kubemirror-Conflate",
                                        "true")) {
            for (int i = 0; i < 3; i++) {
                assertThat(watch.next()).contains("ADDED");
            }
            served.writer().upsert(ApiSamples.object("a", "z", 120));
            assertThat(watch.next()).contains("ADDED", "\"z\"");
        }
    }
}
