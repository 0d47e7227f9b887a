package io.kubemirror.feature.union;

import static io.kubemirror.api.ApiFixture.scope;
import static io.kubemirror.api.ApiSamples.PODS;
import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.HistoryReader;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.MirrorWriter.UpdateVisibility;
import io.kubemirror.mirror.RandomServer;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;

/**
 * Tests that a union of mirrors keeps the promises of a mirror (list-watch.md#unions), on seeded
 * random histories in which its members miss changes and progress independently.
 */
class UnionHistoryTest {

    private static final int HISTORIES = Integer.getInteger("history.seeds", 2_000);
    private static final int STEPS = 150;
    private static final List<String> NAMESPACES = List.of("a", "a-b", "b");

    @Test
    void union_shows_only_states_of_the_server_and_its_readers_converge() throws Exception {
        RandomServer.runAll(HISTORIES, "union.seed", seed -> new History(seed).run());
    }

    @Test
    void readers_miss_no_change_while_members_and_union_run() throws Exception {
        try (ExecutorService notifier = Executors.newSingleThreadExecutor();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Window window = new Window(64, 100_000, Duration.ofSeconds(75), 1 << 28);
            List<MirrorWriter> writers =
                    NAMESPACES.stream()
                            .map(
                                    namespace ->
                                            new Mirror(
                                                    scope("pods", namespace),
                                                    window,
                                                    notifier,
                                                    System::nanoTime))
                            .map(mirror -> Mirrors.writer(mirror, System::nanoTime))
                            .toList();
            writers.forEach(writer -> writer.identify(PODS, DeclaredFields.NONE));
            writers.forEach(writer -> writer.resync().complete(revision(1)));
            Mirror mirror =
                    new UnionMirror(
                            scope("pods", ""), writers.stream().map(MirrorWriter::mirror).toList());
            MirrorUnion union =
                    new MirrorUnion(
                            Mirrors.writer(mirror, System::nanoTime),
                            (_, _) -> {},
                            System::nanoTime);
            union.update();
            Future<?> uniting = threads.submit(() -> follow(union));
            int last = 15_000;
            List<Future<Map<ObjectKey, String>>> results =
                    HistoryReader.start(threads, 4, mirror, last);
            List<Future<?>> writing = new ArrayList<>();
            for (int i = 0; i < NAMESPACES.size(); i++) {
                int member = i;
                writing.add(threads.submit(() -> write(writers.get(member), member, last)));
            }

            for (Future<?> written : writing) {
                written.get(60, TimeUnit.SECONDS);
            }
            HistoryReader.assertConverged(results, writers);
            uniting.cancel(true);
        }
    }

    private static void follow(MirrorUnion union) {
        try {
            while (true) {
                union.step();
            }
        } catch (InterruptedException _) {
            union.close();
        }
    }

    /** Writes the revisions of one member; those of the others lie between them. */
    private static void write(MirrorWriter writer, int member, int last) {
        String namespace = NAMESPACES.get(member);
        for (int at = 2 + member; at <= last; at += NAMESPACES.size()) {
            String path = namespace + "/" + at % 50;
            if (at % 7 == 0) {
                writer.delete(new ObjectKey(path), revision(at));
            } else {
                writer.upsert(object(path, at));
            }
        }
        writer.bookmark(revision(last));
    }

    /** A server that changes at random, a union of its namespaces, and readers of the union. */
    private static final class History {

        private final Random random;
        private final UpdateVisibility updates;
        private final RandomServer server;
        private final Mirror mirror;
        private final MirrorUnion union;
        private final List<HistoryReader> readers = new ArrayList<>();
        private long nanos;

        History(long seed) {
            random = new Random(seed);
            updates = random.nextBoolean() ? UpdateVisibility.ALL : UpdateVisibility.VISIBLE;
            Map<String, MirrorWriter> writers = new LinkedHashMap<>();
            for (String name : NAMESPACES) {
                MirrorWriter writer =
                        Mirrors.writer(
                                Mirrors.of(scope("pods", name), window()), () -> nanos, updates);
                writer.identify(PODS, DeclaredFields.NONE);
                writers.put(name, writer);
            }
            mirror =
                    new UnionMirror(
                            scope("pods", ""),
                            writers.values().stream().map(MirrorWriter::mirror).toList());
            server = new RandomServer(random, writers);
            union =
                    new MirrorUnion(
                            Mirrors.writer(mirror, () -> nanos, updates),
                            (_, _) -> {},
                            () -> nanos);
        }

        private Window window() {
            int bytes = random.nextBoolean() ? 1 << 20 : 1 << 14;
            return new Window(8, 32, Duration.ofSeconds(75), bytes);
        }

        void run() throws InterruptedException {
            for (int step = 0; step < STEPS; step++) {
                nanos += Duration.ofMillis(random.nextInt(30_000)).toNanos();
                step(random.nextInt(100));
            }
            nanos += Duration.ofSeconds(10).toNanos();
            server.resynchronize();
            update();
            assertThat(mirror.revision()).isEqualTo(revision(server.revision()));
            assertThat(mirror.snapshot().orElseThrow().objects())
                    .as("also the revisions of hidden updates")
                    .containsExactlyElementsOf(server.objects().values());
            for (HistoryReader reader : readers) {
                reader.assertReaches(server.objects().values());
            }
        }

        private void step(int choice) throws InterruptedException {
            if (choice < 35) {
                server.change();
            } else if (choice < 40) {
                server.disconnect();
            } else if (choice < 47) {
                server.resynchronizeAny();
            } else if (choice < 57) {
                server.bookmark();
            } else if (choice < 58) {
                // The mirrors notice it one after the other.
                server.restoreBackup(this::maybeUpdate);
                update();
            } else if (choice < 59) {
                server.drop();
            } else if (choice < 80) {
                update();
            } else if (mirror.snapshot().isPresent()) {
                read(choice);
            }
        }

        private void read(int choice) throws InterruptedException {
            if (readers.isEmpty() || choice < 84) {
                readers.add(new HistoryReader(mirror, HistoryReader.anySelection(random), updates));
            }
            HistoryReader reader = readers.get(random.nextInt(readers.size()));
            if (choice < 90) {
                reader.reconnect();
            } else {
                reader.read(Duration.ZERO);
            }
        }

        private void update() {
            union.update();
            mirror.snapshot().ifPresent(this::assertFaithful);
        }

        private void assertFaithful(Snapshot state) {
            long at = Long.parseLong(state.revision().digits());
            assertThat(HistoryReader.looks(state.objects(), updates))
                    .as("Faithful at %d", at)
                    .isEqualTo(HistoryReader.looks(server.objectsAt(at).values(), updates));
            assertThat(state.revision()).isLessThanOrEqualTo(revision(server.revision()));
        }

        private void maybeUpdate() {
            if (random.nextBoolean()) {
                union.update();
            }
        }
    }
}
