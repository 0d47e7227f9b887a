package io.kubemirror.feature.union;

import static io.kubemirror.api.ApiFixture.scope;
import static io.kubemirror.api.ApiSamples.PODS;
import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.SelectorException;
import io.kubemirror.mirror.HistoryReader;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.MirrorWriter.UpdateVisibility;
import io.kubemirror.mirror.Resync;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

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
        for (long seed = 0; seed < HISTORIES; seed++) {
            try {
                new History(seed).run();
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError("history with seed " + seed, failure);
            }
        }
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
                            .map(mirror -> new MirrorWriter(mirror, System::nanoTime))
                            .toList();
            writers.forEach(writer -> writer.identify(PODS));
            writers.forEach(writer -> writer.resync().complete(revision(1)));
            Mirror mirror =
                    new UnionMirror(
                            scope("pods", ""), writers.stream().map(MirrorWriter::mirror).toList());
            MirrorUnion union =
                    new MirrorUnion(
                            new MirrorWriter(mirror, System::nanoTime),
                            (_, _) -> {},
                            System::nanoTime);
            union.update();
            Future<?> uniting = threads.submit(() -> follow(union));
            int last = 15_000;
            List<Future<Map<ObjectKey, String>>> results = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                HistoryReader reader =
                        new HistoryReader(mirror, Selection.everything(), UpdateVisibility.ALL);
                results.add(threads.submit(() -> reader.readUpTo(last)));
            }

            List<Future<?>> writing = new ArrayList<>();
            for (int i = 0; i < NAMESPACES.size(); i++) {
                int member = i;
                writing.add(threads.submit(() -> write(writers.get(member), member, last)));
            }

            for (Future<?> written : writing) {
                written.get(60, TimeUnit.SECONDS);
            }
            Map<ObjectKey, String> truth = new TreeMap<>();
            for (MirrorWriter writer : writers) {
                truth.putAll(
                        HistoryReader.looks(
                                writer.mirror().snapshot().orElseThrow().objects(),
                                UpdateVisibility.ALL));
            }
            for (Future<Map<ObjectKey, String>> result : results) {
                assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo(truth);
            }
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

    /** A namespace of the server and its mirror, which may miss changes. */
    private static final class Namespace {

        private final String name;
        private final MirrorWriter writer;
        private boolean connected = true;

        Namespace(String name, MirrorWriter writer) {
            this.name = name;
            this.writer = writer;
        }
    }

    /** A server that changes at random, a union of its namespaces, and readers of the union. */
    private static final class History {

        private final LabelSelector notOne = LabelSelectorParser.parse("n!=1");
        private final Random random;
        private final UpdateVisibility updates;
        private final List<Namespace> namespaces = new ArrayList<>();
        private final Mirror mirror;
        private final MirrorUnion union;
        private final SortedMap<ObjectKey, KubeObject> truth = new TreeMap<>();
        private final NavigableMap<Long, SortedMap<ObjectKey, KubeObject>> states = new TreeMap<>();
        private final List<HistoryReader> readers = new ArrayList<>();
        private long nanos;
        private long revision = 100;
        private int uids;

        History(long seed) throws SelectorException {
            random = new Random(seed);
            updates = random.nextBoolean() ? UpdateVisibility.ALL : UpdateVisibility.VISIBLE;
            MirrorMemory memory = MirrorMemory.unlimited();
            for (String name : NAMESPACES) {
                Mirror member = Mirrors.of(scope("pods", name), window());
                MirrorWriter writer =
                        new MirrorWriter(
                                member, () -> nanos, updates, memory, MirrorMemory.Limits.NONE);
                writer.identify(PODS);
                namespaces.add(new Namespace(name, writer));
            }
            mirror =
                    new UnionMirror(
                            scope("pods", ""),
                            namespaces.stream().map(one -> one.writer.mirror()).toList());
            union =
                    new MirrorUnion(
                            new MirrorWriter(
                                    mirror, () -> nanos, updates, memory, MirrorMemory.Limits.NONE),
                            (_, _) -> {},
                            () -> nanos);
        }

        private Window window() {
            int bytes = random.nextBoolean() ? 1 << 20 : 1 << 14;
            return new Window(8, 32, Duration.ofSeconds(75), bytes);
        }

        void run() throws InterruptedException {
            states.put(revision, new TreeMap<>());
            namespaces.forEach(this::resynchronize);
            for (int step = 0; step < STEPS; step++) {
                nanos += Duration.ofMillis(random.nextInt(30_000)).toNanos();
                step(random.nextInt(100));
            }
            nanos += Duration.ofSeconds(10).toNanos();
            namespaces.forEach(this::resynchronize);
            update();
            assertThat(mirror.revision()).isEqualTo(revision(revision));
            assertThat(mirror.snapshot().orElseThrow().objects())
                    .as("also the revisions of hidden updates")
                    .containsExactlyElementsOf(truth.values());
            for (HistoryReader reader : readers) {
                while (!reader.cursor.equals(mirror.position().orElseThrow().cursor())) {
                    reader.read(Duration.ZERO);
                }
                assertThat(reader.state)
                        .as("Reliable, Filtered")
                        .isEqualTo(
                                HistoryReader.looks(
                                        truth.values().stream()
                                                .filter(reader.selection::matches)
                                                .toList(),
                                        updates));
            }
        }

        private void step(int choice) throws InterruptedException {
            Namespace one = namespaces.get(random.nextInt(namespaces.size()));
            if (choice < 35) {
                change(one);
            } else if (choice < 40) {
                one.connected = false;
            } else if (choice < 47) {
                resynchronize(one);
            } else if (choice < 57) {
                bookmark(one);
            } else if (choice < 58) {
                restoreBackup();
            } else if (choice < 59) {
                one.writer.drop();
                one.connected = false;
            } else if (choice < 80) {
                update();
            } else if (mirror.snapshot().isPresent()) {
                read(choice);
            }
        }

        private void read(int choice) throws InterruptedException {
            if (readers.isEmpty() || choice < 84) {
                readers.add(new HistoryReader(mirror, randomSelection(), updates));
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
                    .isEqualTo(
                            HistoryReader.looks(
                                    states.floorEntry(at).getValue().values(), updates));
            assertThat(state.revision()).isLessThanOrEqualTo(revision(revision));
        }

        private void change(Namespace one) {
            ObjectKey key = new ObjectKey(one.name + "/" + random.nextInt(5));
            KubeObject known = truth.get(key);
            revision += 1 + random.nextInt(3);
            boolean deleted = known != null && random.nextInt(3) == 0;
            String uid = known == null ? "uid" + uids++ : known.uid();
            Map<String, String> labels = Map.of("n", Integer.toString(random.nextInt(3)));
            KubeObject object = object(key.path(), uid, revision, labels);
            if (deleted) {
                truth.remove(key);
            } else {
                truth.put(key, object);
            }
            states.put(revision, new TreeMap<>(truth));
            if (one.connected && deleted) {
                one.writer.delete(key, revision(revision));
            } else if (one.connected) {
                one.writer.upsert(object);
            }
        }

        private void bookmark(Namespace one) {
            if (one.connected) {
                one.writer.bookmark(revision(revision));
            }
        }

        private void resynchronize(Namespace one) {
            Resync resync = one.writer.resync();
            truth.values().stream()
                    .filter(object -> object.key().isIn(one.name))
                    .forEach(resync::add);
            resync.complete(revision(revision));
            one.connected = true;
        }

        /** The server loses its last revisions; the mirrors notice it one after the other. */
        private void restoreBackup() {
            revision = Math.max(100, revision - random.nextInt(1, 6));
            SortedMap<ObjectKey, KubeObject> backup =
                    new TreeMap<>(states.floorEntry(revision).getValue());
            states.tailMap(revision, false).clear();
            truth.clear();
            truth.putAll(backup);
            for (Namespace one : namespaces) {
                resynchronize(one);
                if (random.nextBoolean()) {
                    union.update();
                }
            }
            update();
        }

        private Selection randomSelection() {
            String namespace = random.nextBoolean() ? "" : "a";
            LabelSelector labels = random.nextInt(3) == 0 ? notOne : LabelSelector.everything();
            return new Selection(namespace, labels, FieldSelector.everything());
        }
    }
}
