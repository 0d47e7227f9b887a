package io.kubemirror.feature.page;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.app.health.PodMirror;
import io.kubemirror.feature.page.EventFeed.Batch;
import io.kubemirror.feature.page.EventFeed.FeedEvent;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.Selection;

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

        EventFeed feed = feed("", "p");
        Batch first = feed.poll();

        assertThat(first.more()).isEqualTo(5_700);
        assertThat(first.changes()).hasSize(300);
        assertThat(first.changes().getLast())
                .isEqualTo(
                        new FeedEvent(
                                "ADDED",
                                "pods/default",
                                "default/p5999",
                                "6005",
                                NOW.minusSeconds(2)));
        assertThat(feed.poll().isEmpty()).isTrue();
        assertThat(feed("", "p59").poll().changes()).hasSize(111);
        assertThat(feed("", "a").poll().isEmpty()).isTrue();
    }

    @Test
    void feed_reports_names_and_revisions_of_new_changes_only() throws Exception {
        pods.sync("5", PodMirror.pod("a", "4", "{}"));
        EventFeed feed = feed("", "");
        assertThat(feed.poll().isEmpty()).isTrue();

        pods.upsert(PodMirror.pod("b", "6", "{\"secret\":\"x\"}"));
        pods.upsert(PodMirror.pod("a", "7", "{}"));

        assertThat(feed.poll())
                .isEqualTo(
                        new Batch(
                                List.of(
                                        new FeedEvent(
                                                "ADDED", "pods/default", "default/b", "6", NOW),
                                        new FeedEvent(
                                                "MODIFIED", "pods/default", "default/a", "7", NOW)),
                                0));
        assertThat(feed.poll().isEmpty()).isTrue();
    }

    @Test
    void mirror_joins_the_feed_once_it_has_synchronized() throws Exception {
        EventFeed feed = feed("", "");
        assertThat(feed.poll().isEmpty()).isTrue();

        pods.sync("5", PodMirror.pod("a", "4", "{}"));
        assertThat(feed.poll().isEmpty()).isTrue();
        pods.upsert(PodMirror.pod("b", "6", "{}"));

        assertThat(feed.poll().changes()).extracting(FeedEvent::key).containsExactly("default/b");
    }

    @Test
    void feed_omits_changes_outside_its_filter() throws Exception {
        pods.sync("5");
        EventFeed named = feed("", "want");
        EventFeed elsewhere = feed("other", "");
        pods.upsert(PodMirror.pod("wanted", "6", "{}"));
        pods.upsert(PodMirror.pod("b", "7", "{}"));

        assertThat(named.poll().changes())
                .extracting(FeedEvent::key)
                .containsExactly("default/wanted");
        assertThat(elsewhere.poll().isEmpty()).isTrue();
    }

    @Test
    void feed_examines_only_part_of_a_flood_of_changes() throws Exception {
        pods.sync("5");
        EventFeed feed = feed("", "never");
        feed.poll();
        for (int i = 0; i < 20_000; i++) {
            pods.upsert(PodMirror.pod("p" + i, Integer.toString(6 + i), "{}"));
        }

        assertThat(feed.poll().more()).isBetween(14_000L, 15_000L);
        assertThat(feed.poll().isEmpty()).isTrue();
    }

    @Test
    void feed_reports_a_reset_history_as_relisted() throws Exception {
        pods.sync("50");
        EventFeed feed = feed("", "");
        feed.poll();
        pods.lose();
        assertThat(feed.poll().changes()).extracting(FeedEvent::type).containsExactly("RELISTED");
        assertThat(feed.poll().isEmpty()).isTrue();
        pods.sync("10");
        assertThat(feed.poll().isEmpty()).isTrue();
        pods.lose();
        pods.sync("9", PodMirror.pod("a", "8", "{}"));

        assertThat(feed.poll().changes())
                .containsExactly(new FeedEvent("RELISTED", "pods/default", "", "9", NOW));
    }

    private EventFeed feed(String namespace, String name) throws Rejection {
        return new EventFeed(
                () -> List.of(pods.mirror()),
                new Selection(namespace, LabelSelector.everything(), FieldSelector.everything()),
                name,
                () -> NOW,
                () -> nanos);
    }
}
