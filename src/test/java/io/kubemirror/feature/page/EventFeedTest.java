package io.kubemirror.feature.page;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.health.PodMirror;
import io.kubemirror.feature.page.EventFeed.FeedEvent;

import org.junit.jupiter.api.Test;

/** Tests what a viewer who reads from time to time sees. */
class EventFeedTest {

    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

    private final PodMirror pods = new PodMirror("default");
    private long nanos;

    @Test
    void feed_begins_with_the_newest_changes_of_the_history_and_when_they_were_received()
            throws Exception {
        pods.sync("5", PodMirror.pod("a", "4", "{}"));
        for (int i = 0; i < 6_000; i++) {
            pods.upsert(PodMirror.pod("p" + i, Integer.toString(6 + i), "{}"));
        }
        nanos = 2_000_000_000L;

        EventFeed feed = feed();
        List<FeedEvent> first = feed.poll();

        assertThat(first).hasSize(300);
        assertThat(first.getLast())
                .isEqualTo(
                        new FeedEvent(
                                "ADDED",
                                "pods/default",
                                "default/p5999",
                                "6005",
                                NOW.minusSeconds(2)));
        assertThat(feed.poll()).isEmpty();
    }

    @Test
    void feed_reports_names_and_revisions_of_new_changes_only() throws Exception {
        pods.sync("5", PodMirror.pod("a", "4", "{}"));
        EventFeed feed = feed();
        assertThat(feed.poll()).isEmpty();

        pods.upsert(PodMirror.pod("b", "6", "{\"secret\":\"x\"}"));
        pods.upsert(PodMirror.pod("a", "7", "{}"));

        assertThat(feed.poll())
                .containsExactly(
                        new FeedEvent("ADDED", "pods/default", "default/b", "6", NOW),
                        new FeedEvent("MODIFIED", "pods/default", "default/a", "7", NOW));
        assertThat(feed.poll()).isEmpty();
    }

    @Test
    void mirror_joins_the_feed_once_it_has_synchronized() throws Exception {
        EventFeed feed = feed();
        assertThat(feed.poll()).isEmpty();

        pods.sync("5", PodMirror.pod("a", "4", "{}"));
        assertThat(feed.poll()).isEmpty();
        pods.upsert(PodMirror.pod("b", "6", "{}"));

        assertThat(feed.poll()).extracting(FeedEvent::key).containsExactly("default/b");
    }

    @Test
    void feed_reports_a_reset_history_as_relisted() throws Exception {
        pods.sync("50");
        EventFeed feed = feed();
        feed.poll();
        pods.lose();
        assertThat(feed.poll()).extracting(FeedEvent::type).containsExactly("RELISTED");
        assertThat(feed.poll()).isEmpty();
        pods.sync("10");
        assertThat(feed.poll()).isEmpty();
        pods.lose();
        pods.sync("9", PodMirror.pod("a", "8", "{}"));

        assertThat(feed.poll())
                .containsExactly(new FeedEvent("RELISTED", "pods/default", "", "9", NOW));
    }

    private EventFeed feed() {
        return new EventFeed(() -> List.of(pods.mirror()), () -> NOW, () -> nanos);
    }
}
