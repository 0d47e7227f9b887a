package io.kubemirror.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.ShardSelector;
import io.kubemirror.model.ShardSelector.HashRange;
import io.kubemirror.model.ShardSelector.ShardKey;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.KubeObjects;

/** A client that applies changes to its first state and checks them. */
public final class HistoryReader {

    private static final ShardSelector LOWER_HALF =
            new ShardSelector(ShardKey.UID, List.of(new HashRange(0, Long.MAX_VALUE)));

    private final Mirror mirror;
    private final Selection selection;
    private final Map<ObjectKey, String> state = new TreeMap<>();
    private Cursor cursor = new Cursor(Revision.ZERO, -1);

    public HistoryReader(Mirror mirror, Selection selection) {
        this.mirror = mirror;
        this.selection = selection;
        list();
    }

    /** A namespace or all, some labels or all, and perhaps half of the objects. */
    public static Selection anySelection(Random random) {
        String namespace = random.nextBoolean() ? "" : "a";
        Selection all = KubeObjects.selection(namespace, random.nextInt(3) == 0 ? "n!=1" : "", "");
        ShardSelector shard = random.nextInt(3) == 0 ? LOWER_HALF : ShardSelector.everything();
        return new Selection(all.namespace(), all.labels(), all.fields(), shard);
    }

    private void list() {
        Mirror.Position position = mirror.position().orElseThrow();
        state.clear();
        position.snapshot()
                .select(selection, "")
                .forEach(object -> state.put(object.key(), look(object)));
        cursor = position.cursor();
    }

    /** Starts readers of all objects, which end at a revision with what they have seen. */
    public static List<Future<Map<ObjectKey, String>>> start(
            ExecutorService threads, int count, Mirror mirror, int last) {
        return Stream.generate(() -> new HistoryReader(mirror, Selection.everything()))
                .limit(count)
                .map(reader -> threads.submit(() -> reader.readUpTo(last)))
                .toList();
    }

    /** Checks that readers have seen what adds up to the state of some mirrors. */
    public static void assertConverged(
            List<Future<Map<ObjectKey, String>>> readers, List<MirrorWriter> writers)
            throws Exception {
        Map<ObjectKey, String> truth = new TreeMap<>();
        for (MirrorWriter writer : writers) {
            Snapshot state = writer.mirror().snapshot().orElseThrow();
            truth.putAll(looks(state.objects()));
        }
        for (Future<Map<ObjectKey, String>> reader : readers) {
            assertThat(reader.get(60, TimeUnit.SECONDS)).isEqualTo(truth);
        }
    }

    private Map<ObjectKey, String> readUpTo(int revision) throws InterruptedException {
        while (Integer.parseInt(cursor.revision().digits()) < revision) {
            read(Duration.ofSeconds(30));
        }
        return state;
    }

    /** Reads all that there is, and checks that it adds up to what is selected of some objects. */
    public void assertReaches(Collection<KubeObject> truth) throws InterruptedException {
        while (!cursor.equals(mirror.position().orElseThrow().cursor())) {
            read(Duration.ZERO);
        }
        assertThat(state)
                .as("Reliable, Filtered")
                .isEqualTo(looks(truth.stream().filter(selection::matches).toList()));
    }

    public void read(Duration patience) throws InterruptedException {
        switch (FoldingWatcher.read(mirror, cursor, patience)) {
            case Reading.Progress progress -> follow(progress);
            case Reading.Expired expired -> {
                assertThat(expired.floor().follows(cursor.revision())).isTrue();
                list();
            }
            case Reading.Gap gap -> throw new AssertionError(gap);
            case Reading.Ended _ -> list();
        }
    }

    /**
     * Drops everything but the revision, as a client that reconnects. A client whose history the
     * server has lost lists, because its revision cannot be distinguished from a new one (see
     * {@link View}).
     */
    public void reconnect() {
        boolean lost = cursor.era() != mirror.position().orElseThrow().cursor().era();
        StartPosition start = mirror.start(new Revision(cursor.revision().digits()));
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
            Revision next = logged.change().revision();
            assertThat(next.follows(before)).as("Ordered, Unique").isTrue();
            before = next;
            selection.view(logged.change()).ifPresent(this::apply);
        }
        assertThat(progress.next().revision()).as("Bookmarkable").isGreaterThanOrEqualTo(before);
        cursor = progress.next();
    }

    private void apply(Change change) {
        if (change instanceof Change.Modified modified) {
            assertThat(look(modified.object()))
                    .as("looks different now")
                    .isNotEqualTo(look(modified.previous()));
        }
        FoldingWatcher.fold(change, state, Function.identity(), object -> look(object));
    }

    public static Map<ObjectKey, String> looks(Collection<KubeObject> objects) {
        Map<ObjectKey, String> looks = new TreeMap<>();
        objects.forEach(object -> looks.put(object.key(), look(object)));
        return looks;
    }

    /** The part of an object that a client can compare. */
    private static String look(KubeObject object) {
        return object.uid() + " " + object.labels() + " @" + object.revision();
    }
}
