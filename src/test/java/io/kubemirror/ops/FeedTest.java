package io.kubemirror.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.SelectorException;
import io.kubemirror.ops.Feed.Batch;
import io.kubemirror.ops.Feed.Event;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;

/** What somebody sees who looks on from time to time. */
class FeedTest {

    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

    private final MirroredPods pods = new MirroredPods("default");

    @Test
    void it_begins_with_what_comes_and_tells_names_and_revisions_only() throws Exception {
        pods.sync("5", MirroredPods.pod("a", "4", "{}"));
        Feed feed = feed("", "");
        assertThat(feed.look().isEmpty()).isTrue();

        pods.upsert(MirroredPods.pod("b", "6", "{\"secret\":\"x\"}"));
        pods.upsert(MirroredPods.pod("a", "7", "{}"));

        assertThat(feed.look())
                .isEqualTo(
                        new Batch(
                                List.of(
                                        new Event("ADDED", "pods/default", "default/b", "6", NOW),
                                        new Event(
                                                "MODIFIED", "pods/default", "default/a", "7", NOW)),
                                0));
        assertThat(feed.look().isEmpty()).isTrue();
    }

    @Test
    void a_mirror_that_is_not_complete_joins_once_it_is() throws Exception {
        Feed feed = feed("", "");
        assertThat(feed.look().isEmpty()).isTrue();

        pods.sync("5", MirroredPods.pod("a", "4", "{}"));
        assertThat(feed.look().isEmpty()).isTrue();
        pods.upsert(MirroredPods.pod("b", "6", "{}"));

        assertThat(feed.look().changes()).extracting(Event::key).containsExactly("default/b");
    }

    @Test
    void what_is_not_selected_is_not_told() throws Exception {
        pods.sync("5");
        Feed named = feed("", "want");
        Feed elsewhere = feed("other", "");
        pods.upsert(MirroredPods.pod("wanted", "6", "{}"));
        pods.upsert(MirroredPods.pod("b", "7", "{}"));

        assertThat(named.look().changes()).extracting(Event::key).containsExactly("default/wanted");
        assertThat(elsewhere.look().isEmpty()).isTrue();
    }

    @Test
    void of_too_much_the_newest_is_told_and_the_rest_is_counted() throws Exception {
        pods.sync("5");
        Feed feed = feed("", "");
        for (int i = 0; i < 1_000; i++) {
            pods.upsert(MirroredPods.pod("p" + i, Integer.toString(6 + i), "{}"));
        }

        Batch batch = feed.look();

        assertThat(batch.more()).isEqualTo(900);
        assertThat(batch.changes()).hasSize(100);
        assertThat(batch.changes().getLast().key()).isEqualTo("default/p999");
    }

    @Test
    void a_flood_is_not_looked_at_as_a_whole() throws Exception {
        pods.sync("5");
        Feed feed = feed("", "never");
        for (int i = 0; i < 20_000; i++) {
            pods.upsert(MirroredPods.pod("p" + i, Integer.toString(6 + i), "{}"));
        }

        assertThat(feed.look().more()).isBetween(14_000L, 15_000L);
        assertThat(feed.look().isEmpty()).isTrue();
    }

    @Test
    void a_history_that_begins_anew_is_told_as_such() throws Exception {
        pods.sync("50");
        Feed feed = feed("", "");
        pods.lose();
        assertThat(feed.look().changes()).extracting(Event::type).containsExactly("RELISTED");
        assertThat(feed.look().isEmpty()).isTrue();
        pods.sync("10");
        assertThat(feed.look().isEmpty()).isTrue();
        pods.lose();
        pods.sync("9", MirroredPods.pod("a", "8", "{}"));

        assertThat(feed.look().changes())
                .containsExactly(new Event("RELISTED", "pods/default", "", "9", NOW));
    }

    private Feed feed(String namespace, String name) throws SelectorException {
        return new Feed(List.of(pods.mirror()), Feed.Filter.of(namespace, "", name), () -> NOW);
    }
}
