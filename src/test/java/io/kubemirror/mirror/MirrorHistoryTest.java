package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.model.Change;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.model.SelectorException;
import io.kubemirror.testing.BlockingReader;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;

/**
 * Tests the guarantees of the design ({@code src/docs/design.md}, "What tests must show") that
 * concern a mirror on seeded random histories with gaps.
 *
 * <p>A failure names its seed; run it alone with {@code history(seed)}.
 */
class MirrorHistoryTest {

    private static final int HISTORIES = 1_000;
    private static final int STEPS = 120;

    /**
     * Threads interleave differently each time: {@code -Dhistory.runs=5000} for a longer search.
     */
    private static final int RUNS = Integer.getInteger("history.runs", 1);

    @Test
    void readers_that_apply_every_change_converge_to_the_server_state() throws Exception {
        for (long seed = 0; seed < HISTORIES; seed++) {
            try {
                new History(seed).run();
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError("history with seed " + seed, failure);
            }
        }
    }

    @Test
    void concurrent_readers_miss_no_change_while_the_writer_runs() throws Exception {
        int failed = 0;
        for (int run = 0; run < RUNS; run++) {
            try {
                readWhileTheWriterRuns();
            } catch (ExecutionException | AssertionError missed) {
                failed++;
                missed.printStackTrace();
            }
        }
        assertThat(failed).as("failed of %d runs", RUNS).isZero();
    }

    private static void readWhileTheWriterRuns() throws Exception {
        try (ExecutorService waker = Executors.newSingleThreadExecutor();
                ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
            Mirror mirror =
                    new Mirror(
                            new Scope(new ResourceName("pods"), Selection.everything()),
                            new Window(64, 256, Duration.ofSeconds(75), 1 << 22),
                            waker,
                            System::nanoTime);
            MirrorWriter writer = new MirrorWriter(mirror, System::nanoTime);
            writer.resync().complete(new Revision("1"));
            int last = 20_000;
            List<Future<Map<ObjectKey, String>>> results = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                results.add(
                        readers.submit(
                                () ->
                                        new HistoryReader(
                                                        mirror,
                                                        Selection.everything(),
                                                        UpdateVisibility.ALL)
                                                .readUpTo(last)));
            }

            for (int revision = 2; revision <= last; revision++) {
                String path = "a/" + revision % 100;
                if (revision % 7 == 0) {
                    writer.delete(new ObjectKey(path), new Revision(Integer.toString(revision)));
                } else {
                    writer.upsert(object(path, revision));
                }
            }

            Map<ObjectKey, String> truth =
                    looks(mirror.snapshot().orElseThrow().objects(), UpdateVisibility.ALL);
            for (Future<Map<ObjectKey, String>> result : results) {
                assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo(truth);
            }
        }
    }

    private static Map<ObjectKey, String> looks(
            Collection<KubeObject> objects, UpdateVisibility updates) {
        Map<ObjectKey, String> looks = new TreeMap<>();
        objects.forEach(object -> looks.put(object.key(), look(object, updates)));
        return looks;
    }

    /**
     * The part of an object that a client can compare. Where some updates are hidden, the revision
     * is not part of it.
     */
    private static String look(KubeObject object, UpdateVisibility updates) {
        String look = object.uid() + " " + object.labels();
        return updates == UpdateVisibility.ALL ? look + " @" + object.revision() : look;
    }

    /** A client that applies changes to its first state and checks them. */
    private static final class HistoryReader {

        private final Mirror mirror;
        private final Selection selection;
        private final UpdateVisibility updates;
        private final Map<ObjectKey, String> state = new TreeMap<>();
        private Cursor cursor = new Cursor(Revision.ZERO, -1);

        HistoryReader(Mirror mirror, Selection selection, UpdateVisibility updates) {
            this.mirror = mirror;
            this.selection = selection;
            this.updates = updates;
            list();
        }

        private void list() {
            Mirror.Position position = mirror.position().orElseThrow();
            state.clear();
            state.putAll(
                    looks(
                            StreamSupport.stream(
                                            position.snapshot().select(selection, "").spliterator(),
                                            false)
                                    .toList(),
                            updates));
            cursor = position.cursor();
        }

        Map<ObjectKey, String> readUpTo(int revision) throws InterruptedException {
            while (Integer.parseInt(cursor.revision().digits()) < revision) {
                read(Duration.ofSeconds(30));
            }
            return state;
        }

        void read(Duration patience) throws InterruptedException {
            switch (BlockingReader.read(mirror, cursor, patience)) {
                case Reading.Progress progress -> follow(progress);
                case Reading.Expired expired -> {
                    assertThat(expired.floor()).isGreaterThan(cursor.revision());
                    list();
                }
                case Reading.Gap gap -> throw new AssertionError(gap);
                case Reading.Ended _ -> list();
            }
        }

        /**
         * Drops everything but the revision, as a client that reconnects. A client whose history
         * the server has lost lists, because its revision cannot be distinguished from a new one
         * (see {@link View}).
         */
        void reconnect() {
            boolean lost = cursor.era() != mirror.position().orElseThrow().cursor().era();
            StartPosition start = mirror.start(cursor.revision());
            if (lost && cursor.revision().isAfter(mirror.revision())) {
                assertThat(start).isInstanceOf(StartPosition.TooOld.class);
            }
            switch (start) {
                case StartPosition.From from when !lost -> cursor = from.cursor();
                case StartPosition.From _, StartPosition.TooOld _ -> list();
            }
        }

        private void follow(Reading.Progress progress) {
            Revision before = cursor.revision();
            for (LoggedChange logged : progress.changes()) {
                assertThat(logged.change().revision()).as("Ordered, Unique").isGreaterThan(before);
                before = logged.change().revision();
                selection.view(logged.change()).ifPresent(this::apply);
            }
            assertThat(progress.next().revision())
                    .as("Bookmarkable")
                    .isGreaterThanOrEqualTo(before);
            cursor = progress.next();
        }

        private void apply(Change change) {
            switch (change) {
                case Change.Added added ->
                        assertThat(state.put(added.key(), look(added.object(), updates)))
                                .as("nothing is added twice")
                                .isNull();
                case Change.Modified modified -> {
                    String look = look(modified.object(), updates);
                    assertThat(state.put(modified.key(), look))
                            .as("what changes was as the reader knew it")
                            .isEqualTo(look(modified.previous(), updates))
                            .as("and looks different now")
                            .isNotEqualTo(look);
                }
                case Change.Deleted deleted ->
                        assertThat(state.remove(deleted.key()))
                                .as("what goes was there")
                                .isEqualTo(look(deleted.previous(), updates));
            }
        }
    }

    /**
     * A server that changes at random, a writer that may miss changes, and readers that connect and
     * disconnect.
     */
    private static final class History {

        private final LabelSelector notOne = LabelSelector.parse("n!=1");
        private final Random random;
        private final UpdateVisibility updates;
        private final Mirror mirror;
        private final MirrorWriter writer;
        private final SortedMap<ObjectKey, KubeObject> truth = new TreeMap<>();
        private final NavigableMap<Long, SortedMap<ObjectKey, KubeObject>> states = new TreeMap<>();
        private final List<HistoryReader> readers = new ArrayList<>();
        private long nanos;
        private long revision = 100;
        private int uids;
        private boolean connected = true;

        History(long seed) throws SelectorException {
            random = new Random(seed);
            updates = random.nextBoolean() ? UpdateVisibility.ALL : UpdateVisibility.VISIBLE;
            int bytes = random.nextBoolean() ? 1 << 20 : 1 << 14;
            mirror =
                    new Mirror(
                            new Scope(new ResourceName("pods"), Selection.everything()),
                            new Window(8, 32, Duration.ofSeconds(75), bytes),
                            Runnable::run,
                            System::nanoTime);
            writer =
                    new MirrorWriter(
                            mirror,
                            () -> nanos,
                            updates,
                            MirrorMemory.unlimited(),
                            MirrorWriter.Limits.NONE);
        }

        void run() throws InterruptedException {
            states.put(revision, new TreeMap<>());
            resynchronize();
            for (int step = 0; step < STEPS; step++) {
                nanos += Duration.ofSeconds(random.nextInt(30)).toNanos();
                step(random.nextInt(100));
                if (connected) {
                    assertFaithful();
                }
            }
            resynchronize();
            assertFaithful();
            assertThat(mirror.bytes())
                    .isEqualTo(
                            truth.values().stream()
                                    .mapToLong(object -> object.json().length)
                                    .sum());
            for (HistoryReader reader : readers) {
                while (!reader.cursor.equals(mirror.position().orElseThrow().cursor())) {
                    reader.read(Duration.ZERO);
                }
                assertThat(reader.state)
                        .as("Reliable, Filtered")
                        .isEqualTo(selected(reader.selection));
            }
        }

        /** The newest revision is stored even if readers are not signaled. */
        private void assertFaithful() {
            assertThat(mirror.snapshot().orElseThrow().objects())
                    .as("Faithful")
                    .containsExactlyElementsOf(truth.values());
            assertThat(mirror.snapshot(mirror.revision()).orElseThrow().objects())
                    .as("Faithful, asked for by revision")
                    .containsExactlyElementsOf(truth.values());
            assertThat(mirror.revision().digits()).isEqualTo(Long.toString(revision));
        }

        private void step(int choice) throws InterruptedException {
            if (choice < 40) {
                change();
            } else if (choice < 48) {
                connected = false;
            } else if (choice < 56) {
                resynchronize();
            } else if (choice < 64) {
                bookmark();
            } else if (choice < 70) {
                readers.add(new HistoryReader(mirror, randomSelection(), updates));
            } else if (choice < 78) {
                aReader().reconnect();
            } else if (choice < 79) {
                restoreBackup();
            } else {
                aReader().read(Duration.ZERO);
            }
        }

        /**
         * The server loses its last revisions. The mirror refuses clients that reconnect with a
         * lost revision.
         */
        private void restoreBackup() {
            revision = Math.max(100, revision - random.nextInt(1, 6));
            SortedMap<ObjectKey, KubeObject> backup =
                    new TreeMap<>(states.floorEntry(revision).getValue());
            states.tailMap(revision, false).clear();
            truth.clear();
            truth.putAll(backup);
            resynchronize();
        }

        private HistoryReader aReader() {
            if (readers.isEmpty()) {
                readers.add(new HistoryReader(mirror, randomSelection(), updates));
            }
            return readers.get(random.nextInt(readers.size()));
        }

        private Selection randomSelection() {
            String namespace = random.nextBoolean() ? "" : "a";
            LabelSelector labels = random.nextInt(3) == 0 ? notOne : LabelSelector.everything();
            return new Selection(namespace, labels, FieldSelector.everything());
        }

        private void change() {
            ObjectKey key = new ObjectKey((random.nextBoolean() ? "a/" : "b/") + random.nextInt(6));
            KubeObject known = truth.get(key);
            revision += 1 + random.nextInt(3);
            if (known != null && random.nextInt(3) == 0) {
                truth.remove(key);
                states.put(revision, new TreeMap<>(truth));
                tell(() -> writer.delete(key, new Revision(Long.toString(revision))));
                return;
            }
            String uid = known == null ? "uid" + uids++ : known.uid();
            Map<String, String> labels = Map.of("n", Integer.toString(random.nextInt(3)));
            KubeObject object = object(key.path(), uid, revision, labels);
            truth.put(key, object);
            states.put(revision, new TreeMap<>(truth));
            tell(() -> writer.upsert(object));
        }

        private void tell(Runnable event) {
            if (connected) {
                event.run();
            }
        }

        private void bookmark() {
            revision++;
            tell(() -> writer.bookmark(new Revision(Long.toString(revision))));
        }

        private void resynchronize() {
            Resync resync = writer.resync();
            truth.values().forEach(resync::add);
            resync.complete(new Revision(Long.toString(revision)));
            connected = true;
        }

        private Map<ObjectKey, String> selected(Selection selection) {
            return looks(truth.values().stream().filter(selection::matches).toList(), updates);
        }
    }
}
