package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.selection;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.ShardSelector;
import io.kubemirror.model.ShardSelector.HashRange;
import io.kubemirror.model.ShardSelector.ShardKey;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Readers wait until a relevant change arrives, and miss none. */
class NotifierTest {

    private static final Revision START = new Revision("10");

    @AutoClose private final ExecutorService waker = Executors.newSingleThreadExecutor();
    private final BlockingQueue<String> signals = new LinkedBlockingQueue<>();

    /** A window that is smaller than any burst. */
    private final Mirror mirror = Mirrors.pods(new Window(4, 4, Duration.ZERO, 1 << 20), waker);

    private final MirrorWriter writer = Mirrors.writer(mirror, () -> 0);

    NotifierTest() throws Exception {
        writer.resync().complete(START);
        awaitWaker();
    }

    @Test
    void subscriber_that_waits_longer_than_the_window_misses_no_relevant_change() throws Exception {
        Cursor cursor = mirror.view().cursor();
        try (Subscription subscription =
                mirror.subscribe(selection("", "", "metadata.name=x"), () -> signals.add("x"))) {
            assertThat(subscription.arm(cursor)).isTrue();
            for (int i = 11; i <= 40; i++) {
                writer.upsert(object("a/other", i));
                awaitWaker();
            }
            assertThat(signals).isEmpty();

            writer.upsert(object("a/x", 41));
            awaitWaker();

            assertThat(signals).containsExactly("x");
            Reading.Progress progress = (Reading.Progress) mirror.read(subscription.disarm(cursor));
            assertThat(progress.changes())
                    .extracting(logged -> logged.change().key().path())
                    .contains("a/x");
        }
    }

    /** The thread of a round may not start, as without memory for its stack. */
    @Test
    void round_that_cannot_be_scheduled_stops_neither_the_writer_nor_a_later_one() {
        AtomicBoolean failing = new AtomicBoolean();
        Executor executor =
                task -> {
                    if (failing.getAndSet(false)) {
                        throw new OutOfMemoryError("as scripted");
                    }
                    task.run();
                };
        Mirror other = Mirrors.pods(new Window(4, 4, Duration.ZERO, 1 << 20), executor);
        MirrorWriter of = Mirrors.writer(other, () -> 0);
        of.resync().complete(START);
        try (Subscription subscription =
                other.subscribe(Selection.everything(), () -> signals.add("all"))) {
            assertThat(subscription.arm(other.view().cursor())).isTrue();
            failing.set(true);
            of.upsert(object("a/x", 11));
            assertThat(signals).isEmpty();

            of.upsert(object("a/x", 12));

            assertThat(signals).containsExactly("all");
            assertThat(other.view().recent().changes()).isEqualTo(2);
        }
    }

    @Test
    void listener_that_fails_silences_no_other() {
        List<Throwable> thrown = new ArrayList<>();
        Executor executor =
                task -> {
                    try {
                        task.run();
                    } catch (OutOfMemoryError failed) {
                        thrown.add(failed);
                    }
                };
        Mirror other = Mirrors.pods(new Window(4, 4, Duration.ZERO, 1 << 20), executor);
        MirrorWriter of = Mirrors.writer(other, () -> 0);
        of.resync().complete(START);
        List<Subscription> subscriptions = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            subscriptions.add(
                    other.subscribe(
                            Selection.everything(),
                            () -> {
                                signals.add("all");
                                throw new OutOfMemoryError("as scripted");
                            }));
        }
        subscriptions.forEach(one -> assertThat(one.arm(other.view().cursor())).isTrue());

        of.upsert(object("a/x", 11));
        assertThat(signals).hasSize(3);
        of.upsert(object("a/x", 12));
        assertThat(signals).as("signaled again").hasSize(6);
        assertThat(thrown).hasSize(2);
        subscriptions.forEach(Subscription::close);
    }

    @Test
    void end_of_the_history_wakes_readers_regardless_of_interest() throws Exception {
        Cursor cursor = mirror.view().cursor();
        try (Subscription subscription =
                mirror.subscribe(selection("", "", "metadata.name=x"), () -> signals.add("x"))) {
            assertThat(subscription.arm(cursor)).isTrue();

            writer.forget();
            awaitWaker();

            assertThat(signals).containsExactly("x");
            assertThat(mirror.read(subscription.disarm(cursor))).isInstanceOf(Reading.Ended.class);
        }
    }

    /** It has the revision from another mirror, and knows what this one has never seen. */
    @Test
    void reader_of_a_later_revision_is_told_that_the_mirror_has_missed_it() throws Exception {
        Cursor later = new Cursor(new Revision("15"), mirror.view().cursor().era());
        try (Subscription subscription =
                mirror.subscribe(selection("b", "", ""), () -> signals.add("signal"))) {
            assertThat(mirror.read(later)).isInstanceOf(Reading.Progress.class);
            assertThat(subscription.arm(later)).isTrue();
            Resync list = writer.resync();
            list.add(object("a/x", 20));
            list.complete(new Revision("21"));
            awaitWaker();

            assertThat(signals).containsExactly("signal");
            assertThat(mirror.read(subscription.disarm(later))).isInstanceOf(Reading.Expired.class);
        }
    }

    @Test
    void reader_that_follows_the_mirror_sleeps_while_it_lists() throws Exception {
        Cursor cursor = mirror.view().cursor();
        try (Subscription subscription =
                mirror.subscribe(selection("b", "", ""), () -> signals.add("signal"))) {
            assertThat(subscription.arm(cursor)).isTrue();
            writer.confirm(new Revision("15"));
            awaitWaker();

            assertThat(signals).isEmpty();
            assertThat(subscription.disarm(cursor)).isEqualTo(mirror.view().cursor());
        }
    }

    @Test
    void subscription_that_never_armed_keeps_its_cursor() throws Exception {
        Cursor cursor = mirror.view().cursor();
        writer.upsert(object("a/x", 11));
        awaitWaker();

        try (Subscription awake =
                mirror.subscribe(selection("", "", "metadata.name=x"), () -> {})) {
            assertThat(awake.disarm(cursor)).isEqualTo(cursor);
            assertThat(awake.arm(cursor)).isFalse();
            assertThat(awake.disarm(cursor)).isEqualTo(cursor);
        }
    }

    @Test
    void closed_subscription_to_several_values_is_not_signaled() throws Exception {
        Cursor cursor = mirror.view().cursor();
        Selection selection = selection("", "app in (v,w)", "");
        Subscription closed = mirror.subscribe(selection, () -> signals.add("closed"));
        try (Subscription other = mirror.subscribe(selection, () -> signals.add("open"))) {
            assertThat(closed.arm(cursor)).isTrue();
            assertThat(other.arm(cursor)).isTrue();
            closed.close();

            writer.upsert(object("a/x", 11).with(Map.of("app", "v"), Map.of()));
            writer.upsert(object("a/x", 12).with(Map.of("app", "w"), Map.of()));
            awaitWaker();

            assertThat(signals).containsExactly("open");
        }
    }

    /**
     * Rounds examine one change or several. Each subscription is signaled in exactly the rounds
     * that examine a change which the full evaluation of its selection shows, and skips the others.
     */
    @Test
    void each_subscription_is_signaled_for_exactly_the_changes_of_its_selection() {
        for (long seed = 0; seed < 300; seed++) {
            RandomGenerator random = new SplittableRandom(seed);
            Queue<Runnable> rounds = new ArrayDeque<>();
            Mirror examined =
                    new Mirror(
                            mirror.scope(),
                            Mirrors.window(),
                            Mirrors.READS,
                            rounds::add,
                            System::nanoTime);
            MirrorWriter changing = Mirrors.writer(examined, () -> 0);
            changing.resync().complete(START);
            List<ExaminedReader> examining = new ArrayList<>();
            for (int revision = 11; revision < 150; revision++) {
                if (random.nextInt(10) == 0) {
                    changing.bookmark(new Revision(Integer.toString(revision)));
                } else {
                    changed(changing, revision, random);
                }
                if (random.nextInt(3) == 0) {
                    rounds.forEach(Runnable::run);
                    rounds.clear();
                    for (ExaminedReader reader : examining) {
                        reader.verify("seed " + seed);
                    }
                    if (random.nextInt(4) == 0 && !examining.isEmpty()) {
                        examining.remove(random.nextInt(examining.size())).subscription.close();
                    }
                    examining.add(new ExaminedReader(examined, anySelection(random)));
                }
            }
        }
    }

    private static void changed(MirrorWriter writer, int revision, RandomGenerator random) {
        String path = any(random, "a/x", "a/y", "b/x", "b/z");
        if (random.nextInt(4) == 0) {
            writer.delete(new ObjectKey(path), new Revision(Integer.toString(revision)));
            return;
        }
        Map<String, String> labels = new HashMap<>();
        for (String label : List.of("app", "tier")) {
            if (random.nextBoolean()) {
                labels.put(label, any(random, "v", "w", "x", "7"));
            }
        }
        Map<String, String> fields =
                Map.of(
                        "spec.nodeName", any(random, "", "n", "m"),
                        "status.phase", any(random, "Running", "Failed", "Succeeded"));
        writer.upsert(object(path, revision).with(labels, fields));
    }

    private static Selection anySelection(RandomGenerator random) {
        String labels =
                any(
                        random,
                        "",
                        "app=v",
                        "app in (v,w)",
                        "app notin (v,w)",
                        "app!=v",
                        "app",
                        "!app",
                        "app=v,tier=w",
                        "app in (v,w),!tier",
                        "tier>5",
                        "app!=v,tier!=v,tier");
        String fields =
                any(
                        random,
                        "",
                        "metadata.name=x",
                        "metadata.name!=x",
                        "metadata.namespace!=a",
                        "spec.nodeName=n",
                        "spec.nodeName=n,status.phase!=Failed",
                        "status.phase!=Failed,status.phase!=Succeeded",
                        "spec.nodeName=");
        Selection all = selection(any(random, "", "", "a", "b"), labels, fields);
        return random.nextInt(3) > 0
                ? all
                : new Selection(all.namespace(), all.labels(), all.fields(), anyShard(random));
    }

    /** Up to three ranges, within one group of hashes or across several. */
    private static ShardSelector anyShard(RandomGenerator random) {
        List<HashRange> ranges = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            long one = random.nextLong();
            long other = random.nextBoolean() ? one + random.nextLong(1L << 58) : random.nextLong();
            boolean ordered = Long.compareUnsigned(one, other) <= 0;
            ranges.add(ordered ? new HashRange(one, other) : new HashRange(other, one));
        }
        return new ShardSelector(random.nextBoolean() ? ShardKey.UID : ShardKey.NAMESPACE, ranges);
    }

    private static String any(RandomGenerator random, String... values) {
        return values[random.nextInt(values.length)];
    }

    /** A reader that waits from its creation on. */
    private static final class ExaminedReader {

        private final Mirror mirror;
        private final Selection selection;
        private final Subscription subscription;
        private Cursor cursor;
        private int signals;

        ExaminedReader(Mirror mirror, Selection selection) {
            this.mirror = mirror;
            this.selection = selection;
            this.subscription = mirror.subscribe(selection, () -> signals++);
            this.cursor = mirror.view().cursor();
            assertThat(subscription.arm(cursor)).isTrue();
        }

        /** Called when all changes have been examined. */
        void verify(String seed) {
            List<LoggedChange> changes = changes(mirror.read(cursor));
            boolean concerned =
                    selection.isEverything()
                            ? mirror.revision().isAfter(cursor.revision())
                            : changes.stream().anyMatch(this::concerns);
            assertThat(signals)
                    .as("%s: %s of %s", seed, selection, changes)
                    .isEqualTo(concerned ? 1 : 0);
            List<LoggedChange> read = changes(mirror.read(subscription.disarm(cursor)));
            assertThat(read.stream().filter(this::concerns))
                    .as("%s: nothing is skipped that %s concerns", seed, selection)
                    .containsExactlyElementsOf(changes.stream().filter(this::concerns).toList());
            signals = 0;
            cursor = mirror.view().cursor();
            assertThat(subscription.arm(cursor)).isTrue();
        }

        private boolean concerns(LoggedChange logged) {
            return selection.view(logged.change()).isPresent();
        }

        private static List<LoggedChange> changes(Reading reading) {
            return ((Reading.Progress) reading).changes();
        }
    }

    /**
     * The notifier has one thread, which has then examined everything that was published before.
     */
    private void awaitWaker() throws Exception {
        waker.submit(() -> {}).get();
    }

    @ParameterizedTest
    @CsvSource({
        "'', '', '', Everything[]",
        "a, '', '', Within[namespace=a]",
        "a, app=v, metadata.name=x, 'Named[namespace=a, name=x]'",
        "'', app=v, '', 'Valued[isLabel=true, name=app, value=v]'",
        "a, app notin (v), '', Within[namespace=a]",
        "'', app!=v, metadata.namespace=b, Within[namespace=b]",
        "'', '', spec.nodeName=, Everything[]"
    })
    void selection_is_looked_up_by_what_is_likely_to_be_narrow(
            String namespace, String labels, String fields, String interest) {
        assertThat(Interest.of(selection(namespace, labels, fields))).hasToString(interest);
    }

    @Test
    void selection_of_several_values_has_as_many_candidates() {
        assertThat(Interest.candidates(selection("a", "app=v,tier in (x),!old", "spec.nodeName=n")))
                .containsExactly(
                        new Interest.Valued(false, "spec.nodeName", "n"),
                        new Interest.Valued(true, "app", "v"),
                        new Interest.Valued(true, "tier", "x"),
                        new Interest.Within("a"));
        assertThat(Interest.candidates(selection("", "app in (v,w)", "")))
                .containsExactly(new Interest.Everything());
    }
}
