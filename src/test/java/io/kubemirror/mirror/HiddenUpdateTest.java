package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.mirror.MirrorWriter.Applied;
import io.kubemirror.mirror.MirrorWriter.UpdateVisibility;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;

/** Tests updates that change dropped fields only (list-watch.md#ca-4). */
class HiddenUpdateTest extends MirrorHarness {

    HiddenUpdateTest() {
        super(8, UpdateVisibility.VISIBLE);
    }

    @Test
    void hidden_update_advances_readers_without_a_change() {
        list(110, object("a/x", 101));
        Cursor cursor = cursor();

        assertThat(writer.upsert(object("a/x", 111))).isEqualTo(Applied.HIDDEN);

        Reading.Progress progress = read(cursor);
        assertThat(progress.changes()).isEmpty();
        assertThat(progress.next().revision()).isEqualTo(revision(111));
        assertThat(mirror.view().recent().changes()).isZero();
    }

    /** Otherwise no client that gets, modifies, and puts could succeed. */
    @Test
    void hidden_update_is_stored_with_its_new_revision() {
        list(110, object("a/x", 99));
        writer.upsert(object("a/x", 111));

        assertThat(stored("a/x").revision()).isEqualTo(revision(111));
        assertThat(mirror.revision()).isEqualTo(revision(111));
        assertThat(mirror.bytes()).isEqualTo(object("a/x", 111).json().length);
    }

    @Test
    void hidden_update_wakes_requests_that_wait_for_its_revision() throws Exception {
        list(110, object("a/x", 101));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Boolean> waiting =
                    threads.submit(() -> mirror.await(revision(111), Duration.ofMinutes(1)));

            writer.upsert(object("a/x", 111));

            assertThat(waiting.get(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void every_update_is_a_change_when_no_fields_are_dropped() {
        MirrorWriter all = Mirrors.writer(Mirrors.pods(), () -> 0);
        Mirrors.list(all, 110, object("a/x", 101));

        assertThat(all.upsert(object("a/x", 111))).isEqualTo(Applied.CHANGED);
        assertThat(Mirrors.list(all, 120, object("a/x", 112)))
                .isEqualTo(new Resync.Completion.Bridged(1));
    }

    @Test
    void label_update_is_a_change() {
        list(110, object("a/x", 101));

        assertThat(writer.upsert(object("a/x", "uid-a/x", 111, Map.of("app", "v"))))
                .isEqualTo(Applied.CHANGED);
    }

    /** The field may be dropped, but selectors see it. */
    @Test
    void update_of_a_selectable_field_is_a_change_even_if_the_field_is_dropped() {
        list(110, object("a/x", 101));

        Map<String, String> running = Map.of("status.phase", "Running");
        assertThat(writer.upsert(object("a/x", 111).with(Map.of(), running)))
                .isEqualTo(Applied.CHANGED);
        assertThat(writer.upsert(object("a/x", 112).with(Map.of(), running)))
                .isEqualTo(Applied.HIDDEN);
    }

    @Test
    void recreated_object_is_a_change_even_if_its_content_is_identical() {
        list(110, object("a/x", "u", 101, Map.of()));
        Cursor cursor = cursor();
        writer.upsert(object("a/x", "u", 112, Map.of()));

        assertThat(writer.upsert(object("a/x", "v", 115, Map.of()))).isEqualTo(Applied.CHANGED);
        assertThat(seenBy(cursor)).containsExactly("Deleted a/x at 113", "Added a/x at 115");
    }

    @Test
    void deletion_after_a_hidden_update_carries_the_last_stored_state() {
        list(110, object("a/x", 101));
        Cursor cursor = cursor();
        KubeObject hidden = object("a/x", 111);
        writer.upsert(hidden);
        writer.delete(new ObjectKey("a/x"), revision(112));

        Reading.Progress progress = read(cursor);
        assertThat(progress.changes())
                .extracting(LoggedChange::change)
                .containsExactly(new Change.Deleted(revision(112), hidden));
        assertThat(mirror.bytes()).isZero();
    }

    @Test
    void past_snapshots_omit_hidden_updates_that_the_current_snapshot_includes() {
        list(110, object("a/x", 101));
        writer.upsert(object("a/y", 111));
        writer.upsert(object("a/x", 112));

        assertThat(exact(112)).containsExactly("a/x@112", "a/y@111");

        writer.upsert(object("a/z", 113));
        assertThat(exact(110)).containsExactly("a/x@101");
        assertThat(exact(112)).containsExactly("a/x@101", "a/y@111");
        assertThat(exact(113)).containsExactly("a/x@112", "a/y@111", "a/z@113");
    }

    @Test
    void watch_can_start_at_the_revision_of_a_hidden_update() {
        list(110, object("a/x", 101));
        writer.upsert(object("a/x", 111));
        StartPosition start = mirror.start(revision(111));
        writer.upsert(object("a/y", 112));

        assertThat(start).isInstanceOf(StartPosition.From.class);
        assertThat(seenBy(((StartPosition.From) start).cursor()))
                .containsExactly("Added a/y at 112");
    }

    @Test
    void relist_stores_hidden_updates_without_a_change() {
        list(120, object("a/p", 100), object("a/q", 105));
        Cursor cursor = cursor();

        assertThat(list(130, object("a/p", 125), object("a/q", 105)))
                .isEqualTo(new Resync.Completion.Bridged(0));

        assertThat(seenBy(cursor)).isEmpty();
        assertThat(stored("a/p").revision()).isEqualTo(revision(125));
        assertThat(mirror.revision()).isEqualTo(revision(130));
    }

    /** The update has used its revision (list-watch.md#re-6). */
    @Test
    void deletion_found_by_a_relist_never_reuses_the_revision_of_a_hidden_update() {
        list(120, object("a/p", 100), object("a/q", 105), object("a/r", 106));
        Cursor cursor = cursor();

        list(123, object("a/p", 121));

        assertThat(seenBy(cursor)).containsExactly("Deleted a/q at 122", "Deleted a/r at 123");
        assertThat(stored("a/p").revision()).isEqualTo(revision(121));
        assertThat(mirror.bytes()).isEqualTo(object("a/p", 121).json().length);
    }

    @Test
    void hidden_update_with_an_impossible_revision_breaks_the_history() {
        list(120, object("a/p", 100));

        assertThat(list(130, object("a/p", 119))).isEqualTo(new Resync.Completion.Broken(1));
        assertThat(stored("a/p").revision()).isEqualTo(revision(119));
    }

    @Test
    void state_replaced_by_a_hidden_update_counts_toward_window_bytes() {
        list(110, object("a/x", 101));
        assertThat(mirror.view().recent().bytes()).isZero();

        writer.upsert(object("a/x", 111));

        assertThat(mirror.view().recent().bytes()).isGreaterThan(object("a/x", 101).json().length);
    }

    /** The history does not grow with hidden updates. */
    @Test
    void hidden_updates_never_grow_the_window_beyond_its_byte_budget() {
        Mirror small = Mirrors.pods(new Window(4, 64, Duration.ZERO, 20_000));
        MirrorWriter other = Mirrors.writer(small, () -> 0, UpdateVisibility.VISIBLE);
        Mirrors.list(
                other, 110, object("a/0", 1), object("a/1", 2), object("a/2", 3), object("a/3", 4));
        for (int revision = 111; revision < 400; revision++) {
            boolean visible = revision % 9 == 0;
            other.upsert(
                    visible
                            ? object("b/x", "u", revision, Map.of("n", "" + revision))
                            : object("a/" + revision % 4, revision));

            assertThat(small.view().recent().bytes()).isLessThanOrEqualTo(20_000);
        }
        assertThat(small.view().recent().changes()).isPositive();
    }

    private List<String> exact(long revision) {
        return mirror.snapshot(revision(revision)).orElseThrow().objects().stream()
                .map(KubeObject::toString)
                .toList();
    }
}
