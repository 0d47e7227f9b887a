package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.SnapshotPins.Pin;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;

/** All objects of these tests have the same size. */
class SnapshotPinsTest {

    private static final long SIZE = object("a/x", 100).heapBytes();

    /** Its history has one change, so it has the last two states. */
    private final Mirror mirror = Mirrors.pods(new Window(1, 1, Duration.ZERO, 1 << 20));

    /** An eighth of it has room for what two objects were. */
    private final MirrorMemory memory = new MirrorMemory(MemoryBudget.of(2 * SIZE * 8));

    private final MirrorWriter writer =
            new MirrorWriter(mirror, () -> 0, memory, new MirrorMemory.Limits(0, 0));
    private final List<String> aborted = new ArrayList<>();

    private void list(long revision, String... paths) {
        Resync resync = writer.resync();
        for (String path : paths) {
            resync.add(object(path, 100));
        }
        resync.complete(new Revision(Long.toString(revision)));
    }

    private void change(String path, int... revisions) {
        for (int revision : revisions) {
            KubeObject changed = object(path, revision);
            assertThat(changed.heapBytes()).isEqualTo(SIZE);
            writer.upsert(changed);
        }
    }

    private Pin pin(String name) {
        return mirror.pin(mirror.snapshot().orElseThrow(), () -> aborted.add(name));
    }

    @Test
    void state_costs_nothing_while_the_history_has_it_and_then_what_was_replaced() {
        list(200, "a/x", "a/y", "a/z");
        try (Pin _ = pin("reader")) {
            assertThat(mirror.pinned()).isZero();
            change("a/x", 201);
            assertThat(mirror.pinned()).as("the history begins with it").isZero();
            change("a/y", 202);
            assertThat(mirror.pinned()).isEqualTo(SIZE);
            change("a/z", 203);
            assertThat(mirror.pinned()).isEqualTo(2 * SIZE);
        }
        assertThat(mirror.pinned()).isZero();
    }

    @Test
    void state_costs_at_most_all_of_its_objects() {
        list(200, "a/x", "a/y");
        try (Pin _ = pin("reader")) {
            change("a/x", 201, 202, 203, 204, 205);
            assertThat(mirror.pinned()).isEqualTo(2 * SIZE);
        }
    }

    @Test
    void states_of_several_readers_cost_what_was_replaced_after_each() {
        list(200, "a/x", "a/y", "a/z", "a/w");
        try (Pin _ = pin("first");
                Pin _ = pin("same")) {
            change("a/x", 201);
            try (Pin _ = pin("second")) {
                change("a/y", 202);
                change("a/z", 203);
                assertThat(mirror.pinned()).as("until the base").isEqualTo(2 * SIZE);
            }
            assertThat(mirror.pinned()).isEqualTo(2 * SIZE);
        }
    }

    @Test
    void state_of_a_history_that_ended_costs_all_of_its_objects() {
        list(200, "a/x", "a/y");
        try (Pin _ = pin("reader")) {
            writer.drop();
            list(150, "a/x");
            assertThat(mirror.pinned()).isEqualTo(2 * SIZE);
        }
        assertThat(mirror.pinned()).isZero();
    }

    @Test
    void readers_of_the_oldest_states_end_when_too_much_is_held() {
        list(200, "a/x", "a/y", "a/z");
        try (Pin _ = pin("oldest")) {
            change("a/x", 201);
            try (Pin _ = pin("later")) {
                change("a/y", 202);
                change("a/z", 203);
                assertThat(aborted).isEmpty();

                change("a/x", 204);

                assertThat(aborted).containsExactly("oldest");
                assertThat(mirror.pinned()).isEqualTo(2 * SIZE);
            }
        }
    }

    /** A quiet mirror with a slow reader must not cost a busy one its readers. */
    @Test
    void readers_of_the_mirror_that_holds_most_end_whoever_publishes() {
        list(200, "a/x", "a/y", "a/z");
        Mirror busy = Mirrors.of("nodes");
        MirrorWriter other = new MirrorWriter(busy, () -> 0, memory, new MirrorMemory.Limits(0, 0));
        other.resync().complete(new Revision("200"));
        other.upsert(object("a/x", 201));
        try (Pin _ = pin("quiet");
                Pin _ = busy.pin(busy.snapshot().orElseThrow(), () -> aborted.add("busy"))) {
            change("a/x", 202, 203, 204);

            other.upsert(object("a/x", 205));
            other.shorten(SIZE * 16);
            other.bookmark(new Revision("206"));

            assertThat(aborted).containsExactly("quiet");
            assertThat(busy.pinned()).isEqualTo(SIZE);
        }
    }

    @Test
    void state_of_a_mirror_that_ended_counts_until_its_reader_is_done() {
        list(200, "a/x");
        try (Pin _ = pin("reader")) {
            mirror.remove();
            writer.end();
            assertThat(mirror.pinned()).isEqualTo(SIZE);
        }
        assertThat(mirror.pinned()).isZero();
    }
}
