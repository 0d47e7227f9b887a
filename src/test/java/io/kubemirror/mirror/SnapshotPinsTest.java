package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.SnapshotPins.Pin;
import io.kubemirror.mirror.SnapshotPins.Recount;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;

/** All objects of these tests have the same size. */
class SnapshotPinsTest {

    private static final long SIZE = object("a/x", 100).heapBytes();

    /** Its history has one change, so it has the last two states. */
    private final Mirror mirror = Mirrors.pods(new Window(1, 1, Duration.ZERO, 1 << 20));

    private final MirrorWriter writer = Mirrors.writer(mirror, () -> 0);
    private final SnapshotPins pins = mirror.pins();
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
        return mirror.pin(mirror.revision(), () -> aborted.add(name));
    }

    private long held() {
        return pins.held(mirror.view());
    }

    @Test
    void state_costs_nothing_while_the_history_has_it_and_then_what_was_replaced() {
        list(200, "a/x", "a/y", "a/z");
        try (Pin _ = pin("reader")) {
            assertThat(held()).isZero();
            change("a/x", 201);
            assertThat(held()).as("the history begins with it").isZero();
            change("a/y", 202);
            assertThat(held()).isEqualTo(SIZE);
            change("a/z", 203);
            assertThat(held()).isEqualTo(2 * SIZE);
        }
        assertThat(held()).isZero();
    }

    @Test
    void state_costs_at_most_all_of_its_objects() {
        list(200, "a/x", "a/y");
        try (Pin _ = pin("reader")) {
            change("a/x", 201, 202, 203, 204, 205);
            assertThat(held()).isEqualTo(2 * SIZE);
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
                assertThat(held()).as("between the first and the base").isEqualTo(2 * SIZE);
            }
            assertThat(held()).isEqualTo(2 * SIZE);
        }
    }

    @Test
    void state_of_a_history_that_ended_costs_all_of_its_objects() {
        list(200, "a/x", "a/y");
        try (Pin _ = pin("reader")) {
            list(150, "a/x");
            assertThat(held()).isEqualTo(2 * SIZE);
        }
        assertThat(held()).isZero();
    }

    @Test
    void reader_of_the_oldest_state_is_aborted_first() {
        list(200, "a/x", "a/y");
        Pin first = pin("before the end of the history");
        list(150, "a/x", "a/y");
        Pin third = pinAfter(151, "newest");
        Pin second = mirror.pin(new Revision("150"), () -> aborted.add("in the middle"));

        while (pins.removeOldest(Runnable::run)) {
            assertThat(aborted).hasSizeLessThanOrEqualTo(3);
        }

        assertThat(aborted)
                .containsExactly("before the end of the history", "in the middle", "newest");
        List.of(first, second, third).forEach(Pin::close);
    }

    private Pin pinAfter(int revision, String name) {
        change("a/x", revision);
        return pin(name);
    }

    @Test
    void pin_that_is_added_or_closed_after_the_end_is_counted_once() {
        list(200, "a/x");
        AtomicInteger counted = new AtomicInteger();
        Pin before = pin("before");
        pins.onChange(new Recount(counted::incrementAndGet, counted::incrementAndGet));

        before.close();
        before.close();
        assertThat(counted).hasValue(1);
        pin("after").close();
        assertThat(counted).hasValue(3);
    }

    /** Otherwise each of thousands of readers would be aborted by the one before, on one stack. */
    @Test
    void aborting_a_reader_after_the_end_leaves_the_count_to_its_caller() {
        list(200, "a/x");
        pin("reader");
        AtomicInteger counted = new AtomicInteger();
        pins.onChange(new Recount(counted::incrementAndGet, counted::incrementAndGet));

        assertThat(pins.removeOldest(Runnable::run)).isTrue();
        assertThat(aborted).containsExactly("reader");
        assertThat(counted).hasValue(0);
    }
}
