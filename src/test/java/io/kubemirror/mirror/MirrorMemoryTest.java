package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import module java.base;

import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.MirrorMemory.OverBudgetException;
import io.kubemirror.mirror.MirrorMemory.OverBudgetException.Limit;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.Mirrors;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class MirrorMemoryTest {

    private static final long LIMIT = 1_600_000;

    private final MemoryBudget all = MemoryBudget.of(LIMIT);
    private final MirrorMemory memory = new MirrorMemory(all);

    private MirrorWriter writer(String resource, MirrorMemory.Limits limits) {
        Mirror mirror = Mirrors.of(resource);
        return new MirrorWriter(mirror, () -> 0, memory, limits);
    }

    private MirrorWriter synced(String resource) {
        MirrorWriter writer = writer(resource, new MirrorMemory.Limits(0, 0));
        writer.resync().complete(revision(1));
        return writer;
    }

    @Test
    void history_budget_is_shared_and_the_longest_history_is_trimmed_first() {
        MirrorWriter quiet = synced("nodes");
        quiet.upsert(object("n", 2));
        MirrorWriter busy = synced("pods");
        for (int i = 2; i < 3_000; i++) {
            busy.upsert(object("a/x", i));
        }

        assertThat(memory.history().used()).isLessThanOrEqualTo(LIMIT / 4 * 3);
        assertThat(memory.history().used())
                .isEqualTo(
                        quiet.mirror().view().recent().bytes()
                                + busy.mirror().view().recent().bytes());
        assertThat(quiet.mirror().view().recent().changes()).isOne();
        assertThat(busy.mirror().view().recent().changes()).isBetween(100L, 1_000L);
    }

    @Test
    void idle_mirror_releases_history_for_objects_of_another_mirror() {
        MirrorWriter idle = synced("nodes");
        for (int i = 2; i < 3_000; i++) {
            idle.upsert(object("n", i));
        }
        long before = idle.mirror().view().recent().changes();
        Cursor behind =
                new Cursor(revision(2_990), idle.mirror().position().orElseThrow().cursor().era());
        MirrorWriter growing = synced("pods");
        fill(growing, 1_300);

        assertThat(idle.mirror().view().recent().changes()).isLessThan(before).isPositive();
        assertThat(idle.mirror().read(behind)).isInstanceOf(Reading.Progress.class);
        assertThat(all.used()).isLessThanOrEqualTo(LIMIT);
    }

    @Test
    void oversized_collection_leaves_room_for_small_ones_and_releases_all_its_bytes() {
        MirrorWriter small = synced("nodes");
        MirrorWriter large = synced("pods");
        assertExceeds(Limit.SHARED, () -> fill(large, 100_000));
        for (int i = 2; i < 50; i++) {
            small.upsert(object("n" + i, i));
        }
        assertThat(small.mirror().snapshot().orElseThrow().size()).isEqualTo(48);

        large.drop();
        small.drop();
        assertThat(all.used()).isZero();
    }

    @Test
    void abandoned_synchronization_releases_its_bytes() {
        MirrorWriter writer = synced("pods");
        Resync abandoned = writer.resync();
        for (int i = 2; i < 100; i++) {
            abandoned.add(object("a/p" + i, i));
        }
        assertThat(memory.objects().used()).isPositive();
        abandoned.remove(object("a/p3", 3).key());
        abandoned.add(object("a/p4", 5));

        writer.discard();
        assertThat(all.used()).isZero();
    }

    @Test
    void completed_synchronization_holds_only_the_bytes_of_its_objects() {
        MirrorWriter writer = writer("pods", new MirrorMemory.Limits(0, 0));
        Resync first = writer.resync();
        for (int i = 2; i < 100; i++) {
            first.add(object("a/p" + i, i));
        }
        first.complete(revision(100));
        long held = memory.objects().used();
        assertThat(held).isEqualTo(writer.mirror().bytes() + 98 * KubeObject.OVERHEAD);

        Resync second = writer.resync();
        for (int i = 2; i < 50; i++) {
            second.add(object("a/p" + i, i));
        }
        second.complete(revision(200));
        assertThat(memory.objects().used())
                .isEqualTo(writer.mirror().bytes() + 48 * KubeObject.OVERHEAD);
    }

    @Test
    void snapshot_has_the_memory_of_its_objects_with_all_their_labels() {
        MirrorWriter writer = writer("pods", new MirrorMemory.Limits(0, 0));
        Map<String, String> labels =
                IntStream.range(0, 1_000).boxed().collect(Collectors.toMap(i -> "l" + i, _ -> ""));
        KubeObject labeled = object("a/x", "u", 2, labels);
        Mirrors.list(writer, 3, labeled, object("a/y", 3));
        writer.upsert(object("a/y", "uid-a/y", 4, labels));

        assertThat(writer.mirror().snapshot().orElseThrow().heapBytes())
                .isEqualTo(labeled.heapBytes() + object("a/y", "uid-a/y", 4, labels).heapBytes());
        assertThat(memory.objects().used()).isGreaterThan(2 * 64_000);
    }

    @Test
    void list_of_too_many_objects_is_abandoned() {
        Resync resync = writer("pods", new MirrorMemory.Limits(1, 0)).resync();
        resync.add(object("a/x", 2));

        assertThatThrownBy(() -> resync.add(object("a/y", 2)))
                .asInstanceOf(type(OverBudgetException.class))
                .satisfies(
                        failure -> {
                            assertThat(failure.excess().limit()).isEqualTo(Limit.OBJECTS);
                            assertThat(failure.excess().allowed()).isEqualTo(1);
                            assertThat(failure.excess().objects()).isEqualTo(1);
                            assertThat(failure.excess().bytes())
                                    .isEqualTo(2 * object("a/x", 2).heapBytes());
                        });
    }

    /** A writer waits for no other thread, so it is refused until the memory has come back. */
    @Test
    void mirror_takes_the_memory_of_another_when_that_has_returned_it() {
        MirrorWriter idle = synced("nodes");
        int objects = 0;
        try {
            while (true) {
                idle.upsert(object("n" + objects, objects + 2));
                objects++;
            }
        } catch (OverBudgetException full) {
            assertThat(full.excess().limit()).isEqualTo(Limit.SHARED);
            assertThat(full.excess().temporary()).isFalse();
        }
        MirrorWriter wanted = synced("pods");
        List<Mirror> asking = new ArrayList<>();
        memory.onPressure(asking::add);

        assertThatThrownBy(() -> fill(wanted, 1_000))
                .asInstanceOf(type(OverBudgetException.class))
                .satisfies(refused -> assertThat(refused.excess().temporary()).isTrue());
        assertThat(asking).containsExactly(wanted.mirror());
        idle.drop();

        fill(wanted, objects / 2);
        assertThat(wanted.mirror().snapshot().orElseThrow().size()).isEqualTo(objects / 2);
    }

    /** It comes back while the writer that needs it asks whether any will. */
    @Test
    void mirror_takes_the_memory_that_has_been_returned_when_none_is_on_its_way() {
        MirrorWriter idle = synced("nodes");
        assertThatThrownBy(() -> fill(idle, 1_000_000)).isInstanceOf(OverBudgetException.class);
        MirrorWriter wanted = synced("pods");
        memory.onPressure(
                _ -> {
                    idle.drop();
                    return false;
                });

        fill(wanted, 100);

        assertThat(wanted.mirror().snapshot().orElseThrow().size()).isEqualTo(100);
    }

    /** Memory is refused as if none could be reclaimed, and the writer goes on. */
    @Test
    void failure_to_end_another_mirror_does_not_reach_the_writer() {
        MirrorWriter writer = synced("pods");
        memory.onPressure(
                _ -> {
                    throw new IllegalStateException("for a test");
                });

        assertExceeds(Limit.SHARED, () -> fill(writer, 100_000));
        writer.drop();
        assertThat(all.used()).isZero();
    }

    private static void assertExceeds(Limit limit, ThrowingCallable writing) {
        assertThatThrownBy(writing)
                .asInstanceOf(type(OverBudgetException.class))
                .extracting(refused -> refused.excess().limit())
                .isEqualTo(limit);
    }

    private static void fill(MirrorWriter writer, int objects) {
        for (int i = 0; i < objects; i++) {
            writer.upsert(object("a/p" + i, i + 2));
        }
    }

    @Test
    void per_mirror_limits_on_objects_and_bytes_are_enforced() {
        MirrorWriter few = writer("pods", new MirrorMemory.Limits(2, 0));
        few.resync().complete(revision(1));
        few.upsert(object("a/x", 2));
        few.upsert(object("a/y", 3));
        few.upsert(object("a/y", 4));
        assertExceeds(Limit.OBJECTS, () -> few.upsert(object("a/z", 5)));

        MirrorWriter light = writer("nodes", new MirrorMemory.Limits(0, 2_000));
        light.resync().complete(revision(1));
        assertExceeds(Limit.BYTES, () -> fill(light, 10));
    }

    @Test
    void change_keeps_the_last_encoded_form_that_is_not_much_larger_than_the_object() {
        MirrorWriter writer = synced("pods");
        Cursor start = writer.mirror().position().orElseThrow().cursor();
        writer.upsert(object("a/x", 2));
        LoggedChange change = ((Reading.Progress) writer.mirror().read(start)).changes().getFirst();
        change.frame("first", () -> new byte[200]);
        assertThat(isKept(change, "first")).isTrue();
        change.frame("too large", () -> new byte[200_000]);
        assertThat(isKept(change, "too large")).isFalse();
        assertThat(isKept(change, "first")).isTrue();

        change.frame("second", () -> new byte[200]);

        assertThat(isKept(change, "second")).isTrue();
        assertThat(isKept(change, "first")).isFalse();
    }

    private static boolean isKept(LoggedChange change, String form) {
        AtomicBoolean kept = new AtomicBoolean(true);
        try {
            change.frame(
                    form,
                    () -> {
                        kept.set(false);
                        throw new IllegalStateException("do not keep the answer");
                    });
        } catch (IllegalStateException expected) {
            assertThat(kept).isFalse();
        }
        return kept.get();
    }

    /** Two writers shorten each other's history while both write; nothing is lost or blocked. */
    @Test
    void concurrent_writers_stay_within_the_shared_history_budget() throws Exception {
        MirrorWriter one = synced("pods");
        MirrorWriter other = synced("nodes");
        CountDownLatch ready = new CountDownLatch(2);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> first = threads.submit(() -> write(one, ready));
            Future<?> second = threads.submit(() -> write(other, ready));
            first.get();
            second.get();
        }

        assertThat(one.mirror().revision()).isEqualTo(new Revision("20000"));
        assertThat(memory.history().used())
                .isEqualTo(
                        one.mirror().view().recent().bytes()
                                + other.mirror().view().recent().bytes())
                .isLessThanOrEqualTo(LIMIT / 4 * 3);
    }

    private static void write(MirrorWriter writer, CountDownLatch ready) {
        ready.countDown();
        for (int i = 2; i <= 20_000; i++) {
            writer.upsert(object("a/x", i));
        }
    }
}
