package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.model.KubeObject;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;

class ResyncTest extends MirrorHarness {

    ResyncTest() {
        super(16);
    }

    /**
     * A missed deletion and a missed update: DELETED, then MODIFIED, at two revisions
     * (list-watch.md#re-6).
     */
    @Test
    void relist_bridges_a_gap_with_changes_at_distinct_revisions() {
        list(120, object("a/p", 100), object("a/q", 105), object("a/r", 110));
        Cursor watcher = cursor(120);

        assertThat(list(130, object("a/p", 100), object("a/q", 125)))
                .isEqualTo(Resync.Completion.BRIDGED);

        assertThat(seenBy(watcher)).containsExactly("Deleted a/r at 121", "Modified a/q at 125");
        assertThat(mirror.revision()).isEqualTo(revision(130));
        assertThat(mirror.floor()).isEqualTo(revision(120));
    }

    @Test
    void deletions_of_replaced_objects_get_the_lowest_free_revisions() {
        list(
                120,
                object("a/m", 90),
                object("a/r", "u", 100, Map.of()),
                object("a/s", "u", 110, Map.of()));
        Cursor watcher = cursor(120);

        list(130, object("a/s", "v", 122, Map.of()), object("a/r", "v", 124, Map.of()));

        assertThat(seenBy(watcher))
                .containsExactly(
                        "Deleted a/s at 121",
                        "Added a/s at 122",
                        "Deleted a/r at 123",
                        "Added a/r at 124",
                        "Deleted a/m at 125");
    }

    @Test
    void synthesized_deletions_never_share_a_revision_with_another_change() {
        list(120, object("a/p", 1), object("a/q", 2), object("a/r", 3), object("a/s", 4));
        Cursor watcher = cursor(120);

        list(126, object("a/t", 122), object("a/u", 123));

        assertThat(seenBy(watcher))
                .containsExactly(
                        "Deleted a/p at 121",
                        "Added a/t at 122",
                        "Added a/u at 123",
                        "Deleted a/q at 124",
                        "Deleted a/r at 125",
                        "Deleted a/s at 126");
    }

    @Test
    void relist_of_an_unchanged_collection_advances_readers_to_its_revision() {
        list(120, object("a/p", 100));
        Cursor watcher = cursor(120);
        list(130, object("a/p", 100));

        assertThat(read(watcher).next().revision()).isEqualTo(revision(130));
    }

    @Test
    void relist_at_an_older_revision_ends_open_reads() {
        list(120, object("a/p", 100), object("a/q", 110));
        Cursor watcher = cursor(120);

        assertThat(list(118, object("a/p", 100))).isEqualTo(Resync.Completion.BROKEN);

        assertThat(mirror.read(watcher)).isEqualTo(new Reading.Ended());
        assertThat(mirror.revision()).isEqualTo(revision(118));
        assertThat(snapshot().size()).isEqualTo(1);
    }

    @Test
    void watch_from_a_revision_of_the_lost_history_is_too_old() {
        list(120, object("a/p", 100));
        list(118, object("a/p", 100));

        assertThat(mirror.start(revision(120))).isEqualTo(new StartPosition.TooOld(revision(118)));
        assertThat(mirror.start(revision(119))).isEqualTo(new StartPosition.TooOld(revision(118)));
        assertThat(mirror.start(revision(118))).isInstanceOf(StartPosition.From.class);

        writer.bookmark(revision(125));
        assertThat(mirror.start(revision(125))).isInstanceOf(StartPosition.From.class);
        assertThat(mirror.start(revision(500))).isInstanceOf(StartPosition.From.class);
    }

    @Test
    void watch_from_before_the_type_was_absent_is_too_old() {
        list(120, object("a/p", 100));
        writer.forget();
        list(118, object("a/p", 100));

        assertThat(mirror.start(revision(120))).isEqualTo(new StartPosition.TooOld(revision(118)));
    }

    @Test
    void relist_after_data_loss_replaces_content_at_a_reused_revision() {
        list(120, object("a/p", "u", 117, Map.of("app", "lost")));
        KubeObject rewritten = object("a/p", "u", 117, Map.of("app", "new"));

        Resync resync = writer.resync();
        resync.add(rewritten);
        resync.complete(revision(118));

        assertThat(snapshot().objects()).containsExactly(rewritten);
    }

    /** The definition of a custom resource has another default (list-watch.md#re-15). */
    @Test
    void content_that_differs_at_the_same_revision_begins_a_new_history() {
        list(120, object("a/p", "u", 117, Map.of("size", "none")), object("a/q", 118));
        long era = mirror.view().era();
        KubeObject defaulted = object("a/p", "u", 117, Map.of("size", "7"));

        assertThat(list(125, defaulted, object("a/q", 124))).isEqualTo(Resync.Completion.BROKEN);

        assertThat(snapshot().objects()).contains(defaulted).hasSize(2);
        assertThat(mirror.view().era()).isNotEqualTo(era);
        assertThat(mirror.start(revision(124))).isEqualTo(new StartPosition.TooOld(revision(125)));
    }

    @Test
    void object_changed_without_a_newer_revision_breaks_the_history() {
        list(120, object("a/p", 100));

        assertThat(list(130, object("a/p", 105))).isEqualTo(Resync.Completion.BROKEN);
    }

    @Test
    void deletions_without_a_free_revision_share_the_old_one() {
        list(120, object("a/p", 100), object("a/q", 101));
        Cursor watcher = cursor(120);

        assertThat(list(121, object("a/r", 121))).isEqualTo(Resync.Completion.BRIDGED);

        assertThat(snapshot().size()).isEqualTo(1);
        assertThat(read(watcher).changes())
                .extracting(logged -> logged.change().revision().toString())
                .containsExactly("120", "120", "121");
    }

    @Test
    void gap_larger_than_half_the_window_breaks_the_history() {
        list(120);
        KubeObject[] many = new KubeObject[9];
        for (int i = 0; i < many.length; i++) {
            many[i] = object("a/" + i, 121 + i);
        }

        assertThat(list(200, many)).isEqualTo(Resync.Completion.BROKEN);
    }

    @Test
    void gap_that_exceeds_the_byte_budget_breaks_the_history() {
        Mirror small = Mirrors.pods(new Window(4, 1000, Duration.ofSeconds(75), 10_000));
        MirrorWriter smallWriter = Mirrors.writer(small, () -> 0);
        Resync first = smallWriter.resync();
        for (int i = 0; i < 20; i++) {
            first.add(object("a/" + i, 10 + i));
        }
        first.complete(revision(100));

        assertThat(smallWriter.resync().complete(revision(200)))
                .isEqualTo(Resync.Completion.BROKEN);
    }

    @Test
    void list_with_a_duplicate_object_counts_it_once() {
        Resync resync = writer.resync();
        resync.add(object("a/p", 100));
        resync.add(object("a/p", 105));

        assertThat(resync.size()).isEqualTo(1);
        resync.complete(revision(110));
        assertThat(stored("a/p").revision()).isEqualTo(revision(105));
    }

    /**
     * The client may have the revision from elsewhere, and know an object that was created and
     * deleted while the mirror missed both (list-watch.md#re-14).
     */
    @Test
    void client_cannot_resume_between_the_ends_of_a_bridge() {
        list(120, object("a/p", 100));
        list(130, object("a/p", 125));

        assertThat(mirror.start(revision(121))).isEqualTo(new StartPosition.TooOld(revision(130)));
        assertThat(mirror.start(revision(125))).isEqualTo(new StartPosition.TooOld(revision(130)));
        assertThat(mirror.start(revision(129))).isEqualTo(new StartPosition.TooOld(revision(130)));
    }

    @Test
    void client_can_resume_at_either_end_of_a_bridge() {
        list(120, object("a/p", 100));
        list(130, object("a/p", 125));

        assertThat(seenBy(cursor(120))).containsExactly("Modified a/p at 125");
        assertThat(seenBy(cursor(130))).isEmpty();
    }

    /** The mirror lists to catch up with a client that is ahead of it. */
    @Test
    void bridge_that_passes_a_client_ends_its_watch() {
        list(120, object("a/p", 100));
        Cursor ahead = cursor(125);
        list(130);

        assertThat(mirror.read(ahead)).isEqualTo(new Reading.Expired(revision(130)));
    }

    @Test
    void watch_reads_a_bridge_in_any_number_of_steps() {
        list(120, object("a/p", 100), object("a/q", 101), object("a/r", 102));
        Cursor watcher = cursor(120);
        list(130);

        long first = read(watcher).changes().getFirst().sequence();
        Cursor within = new Cursor(revision(121), watcher.era(), first + 1);
        assertThat(seenBy(within)).containsExactly("Deleted a/q at 122", "Deleted a/r at 123");
    }

    @Test
    void bridges_are_remembered_as_long_as_the_history_begins_before_them() {
        list(120, object("a/p", 100));
        list(130, object("a/p", 100));
        writer.shorten(Long.MAX_VALUE);
        list(140, object("a/p", 100));

        assertThat(mirror.floor()).isEqualTo(revision(120));
        assertThat(mirror.start(revision(125))).isEqualTo(new StartPosition.TooOld(revision(130)));
    }

    @Test
    void state_between_the_ends_of_a_bridge_is_not_available() {
        list(120, object("a/p", 100));
        list(130, object("a/p", 125));

        assertThat(mirror.snapshot(revision(125))).isEmpty();
        assertThat(mirror.snapshot(revision(120))).map(Snapshot::revision).hasValue(revision(120));
        assertThat(mirror.snapshot(revision(130))).map(Snapshot::revision).hasValue(revision(130));
    }
}
