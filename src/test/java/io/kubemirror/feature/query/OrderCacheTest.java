package io.kubemirror.feature.query;

import static io.kubemirror.feature.query.OrderedItems.item;
import static io.kubemirror.feature.query.OrderedItems.path;
import static io.kubemirror.testing.KubeObjects.revision;
import static io.kubemirror.testing.KubeObjects.selection;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.encode.ListExtension.ObjectCounts;
import io.kubemirror.api.encode.ListExtension.ObjectCounts.ValueCount;
import io.kubemirror.feature.query.OrderCache.SortedRows;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Resync;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.Mirrors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OrderCacheTest {

    private static final Selection ALL = Selection.everything();
    private static final ValuePath REPLICAS = path("spec.replicas");

    private final Mirror mirror = Mirrors.pods(new Window(4, 8, Duration.ofSeconds(75), 1 << 20));
    private final MirrorWriter writer = Mirrors.writer(mirror, () -> 0);
    private final MemoryBudget budget = MemoryBudget.ofProcess(64 << 20);
    private final OrderCache cache = new OrderCache(budget);

    @Test
    void pages_are_those_of_a_sorted_list_whatever_changes_meanwhile() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        fill(2_000, random);
        long revision = 10_000;
        for (int round = 0; round < 30; round++) {
            Snapshot state = state();
            boolean descending = random.nextBoolean();
            int limit = 1 + random.nextInt(300);
            List<String> expected = sorted(state, descending);
            List<String> paged = new ArrayList<>();
            while (paged.size() < expected.size()) {
                SortedRows all =
                        cache.sorted(mirror, state, ALL, REPLICAS, descending).orElseThrow();
                all.page(paged.size(), limit).forEach(object -> paged.add(object.key().path()));
                revision++;
                change("a/pod-" + random.nextInt(2_100), revision, random, random.nextBoolean());
            }
            assertThat(paged).as("seed %d, round %d", seed, round).isEqualTo(expected);
        }
    }

    /** Pages of states that are each sorted a little, in both directions, while objects change. */
    @Test
    void order_continues_from_state_to_state() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        fill(500, random);
        long revision = 10_000;
        for (int round = 0; round < 500; round++) {
            Snapshot state = state();
            boolean descending = random.nextBoolean();
            List<String> expected = sorted(state, descending);
            int from = random.nextInt(expected.size() + 1);
            int limit = random.nextInt(4) == 0 ? 1 + random.nextInt(500) : 5;
            assertThat(
                            cache.sorted(mirror, state, ALL, REPLICAS, descending)
                                    .orElseThrow()
                                    .page(from, limit))
                    .as("seed %d, round %d", seed, round)
                    .extracting(object -> object.key().path())
                    .isEqualTo(expected.subList(from, Math.min(expected.size(), from + limit)));
            for (int changes = random.nextInt(20); changes > 0; changes--) {
                revision++;
                String path = "a/pod-" + random.nextInt(550);
                change(path, revision, random, random.nextInt(3) > 0);
            }
        }
    }

    @Test
    void readers_that_race_with_the_writer_get_pages_of_one_state() throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        fill(400, random);
        AtomicBoolean ended = new AtomicBoolean();
        try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> reading =
                    IntStream.range(0, 4)
                            .<Future<?>>mapToObj(
                                    number -> readers.submit(() -> readUntil(ended, seed, number)))
                            .toList();
            for (int change = 1; change <= 3_000; change++) {
                writer.upsert(pod("a/pod-" + random.nextInt(400), 10_000 + change, random));
            }
            ended.set(true);
            for (Future<?> reader : reading) {
                reader.get();
            }
        }
    }

    /** Reads pages of the newest state until the writer has ended, and once more. */
    private void readUntil(AtomicBoolean ended, long seed, int number) {
        Random random = new Random(seed + number);
        boolean last;
        do {
            last = ended.get();
            Snapshot state = state();
            boolean descending = random.nextBoolean();
            List<String> expected = sorted(state, descending);
            for (int from = 0; from < 400; from += 150) {
                assertThat(
                                cache.sorted(mirror, state, ALL, REPLICAS, descending)
                                        .orElseThrow()
                                        .page(from, 150))
                        .as("seed %d", seed)
                        .extracting(object -> object.key().path())
                        .isEqualTo(expected.subList(from, Math.min(400, from + 150)));
            }
            assertThat(cache.counts(mirror, state, ALL, REPLICAS).orElseThrow().total())
                    .isEqualTo(400);
        } while (!last);
    }

    @Test
    void snapshot_is_sorted_once_even_if_a_bookmark_raises_its_revision() {
        fill(10, new Random(1));
        SortedRows first = cache.sorted(mirror, state(), ALL, REPLICAS, false).orElseThrow();
        writer.bookmark(revision(20_000));

        assertThat(cache.sorted(mirror, state(), ALL, REPLICAS, false)).containsSame(first);
        assertThat(cache.sorted(mirror, state(), ALL, path("spec.other"), false)).isPresent();
    }

    @Test
    void snapshot_is_counted_once_for_each_selection() {
        fill(10, new Random(1));
        Selection some = selection("", "app!=x", "");
        ObjectCounts first = cache.counts(mirror, state(), some, REPLICAS).orElseThrow();

        assertThat(first.total()).isEqualTo(10);
        assertThat(cache.counts(mirror, state(), some, REPLICAS)).containsSame(first);
        assertThat(cache.counts(mirror, state(), some, null).orElseThrow().groups()).isEmpty();
        writer.upsert(item("a/new", 20_000, ""));
        assertThat(cache.counts(mirror, state(), some, REPLICAS).orElseThrow().total())
                .isEqualTo(11);
    }

    @Test
    void counts_begin_with_the_largest_and_end_with_no_value() {
        synchronize(
                item("a/1", 1, ",\"spec\":{\"replicas\":10}"),
                item("a/2", 2, ",\"spec\":{\"replicas\":9}"),
                item("a/3", 3, ""),
                item("b/4", 4, ",\"spec\":{\"replicas\":7}"),
                item("b/5", 5, ",\"spec\":{\"replicas\":7}"));

        assertThat(cache.counts(mirror, state(), ALL, REPLICAS).orElseThrow().groups())
                .containsExactly(
                        new ValueCount("7", 2),
                        new ValueCount("9", 1),
                        new ValueCount("10", 1),
                        new ValueCount(null, 1));
        assertThat(cache.counts(mirror, state(), selection("b", "", ""), null).orElseThrow())
                .isEqualTo(new ObjectCounts(2, List.of()));
    }

    @Test
    void unchanged_objects_are_not_read_again() {
        KubeObject[] pods = objects(100, new Random(1)).toArray(KubeObject[]::new);
        synchronize(pods);
        var _ = cache.sorted(mirror, state(), ALL, REPLICAS, false).orElseThrow();
        for (KubeObject pod : pods) {
            // An object that is read again has no value any more.
            Arrays.fill(pod.json(), (byte) ' ');
        }
        writer.upsert(item("a/pod-5", 20_000, ",\"spec\":{\"replicas\":-1000}"));

        SortedRows next = cache.sorted(mirror, state(), ALL, REPLICAS, false).orElseThrow();
        assertThat(next.page(0, 1).getFirst().key().path()).isEqualTo("a/pod-5");
    }

    @Test
    void memory_is_bounded_and_the_coldest_result_makes_room() {
        fill(1_000, new Random(1));
        OrderCache small = new OrderCache(budget.part("small", 256 << 10));
        for (int i = 0; i < 20; i++) {
            assertThat(small.sorted(mirror, state(), ALL, path("spec.other" + i), false))
                    .isPresent();
            assertThat(budget.used()).isBetween(88_000L, 256L << 10);
        }
        OrderCache tiny = new OrderCache(budget.part("tiny", 64 << 10));
        long before = budget.used();
        assertThat(tiny.sorted(mirror, state(), ALL, REPLICAS, false)).isEmpty();
        assertThat(budget.used()).isEqualTo(before);
    }

    /** Values may be as large as the objects. */
    @Test
    void values_are_read_only_while_there_is_memory_for_them() {
        ValuePath text = path("text");
        List<KubeObject> pods = new ArrayList<>();
        for (int i = 10; i < 30; i++) {
            String value = "%050000d".formatted(i) + "x";
            pods.add(item("a/pod-" + i, i, ",\"text\":\"" + value + "\""));
        }
        pods.add(item("a/pod-99", 99, ",\"not read\""));
        synchronize(pods.toArray(KubeObject[]::new));
        OrderCache small = new OrderCache(budget.part("small", 256 << 10));

        assertThat(small.counts(mirror, state(), ALL, text)).isEmpty();
        assertThat(small.sorted(mirror, state(), ALL, text, false)).isEmpty();
        assertThat(budget.used()).isZero();
    }

    @Test
    void result_is_dropped_after_its_snapshot_has_left_the_history() {
        fill(1_000, new Random(1));
        var _ = cache.sorted(mirror, state(), ALL, REPLICAS, false).orElseThrow();
        long one = budget.used();
        for (int i = 0; i < 50; i++) {
            writer.upsert(item("a/pod-1", 20_000 + i, ""));
            var _ = cache.sorted(mirror, state(), ALL, REPLICAS, false).orElseThrow();
        }
        // The window has eight changes.
        assertThat(budget.used()).isBetween(one, 12 * one);
    }

    private Snapshot state() {
        return mirror.snapshot().orElseThrow();
    }

    private static List<String> sorted(Snapshot state, boolean descending) {
        Comparator<Integer> direction =
                descending ? Comparator.reverseOrder() : Comparator.naturalOrder();
        return state.objects().stream()
                .sorted(
                        Comparator.comparing(
                                OrderCacheTest::replicas, Comparator.nullsLast(direction)))
                .map(object -> object.key().path())
                .toList();
    }

    private static @Nullable Integer replicas(KubeObject object) {
        String text = REPLICAS.of(object);
        return text == null ? null : Integer.valueOf(text);
    }

    /** Updates or creates a pod, or deletes it if it exists. */
    private void change(String path, long revision, Random random, boolean upsert) {
        if (upsert) {
            writer.upsert(pod(path, revision, random));
        } else if (state().get(new ObjectKey(path)).isPresent()) {
            writer.delete(new ObjectKey(path), revision(revision));
        }
    }

    private void fill(int count, Random random) {
        synchronize(objects(count, random).toArray(KubeObject[]::new));
    }

    private static List<KubeObject> objects(int count, Random random) {
        return IntStream.range(0, count).mapToObj(i -> pod("a/pod-" + i, 1 + i, random)).toList();
    }

    private static KubeObject pod(String path, long revision, Random random) {
        String spec = ",\"spec\":{\"replicas\":" + (random.nextInt(200) - 100) + "}";
        return item(path, revision, random.nextInt(10) == 0 ? "" : spec);
    }

    private void synchronize(KubeObject... objects) {
        Resync resync = writer.resync();
        for (KubeObject object : objects) {
            resync.add(object);
        }
        resync.complete(revision(9_999));
    }
}
