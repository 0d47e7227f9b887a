package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.BlockingReader;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.random.RandomGenerator;

/** Readers wait until a relevant change arrives, and miss none. */
@Timeout(60)
class NotifierTest {

    private static final int NAMES = 20;
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Revision START = new Revision("10");

    private final ExecutorService waker = Executors.newSingleThreadExecutor();
    private final List<Thread> readers = new ArrayList<>();

    /** A window that is smaller than any burst. */
    private final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    new Window(4, 4, Duration.ZERO, 1 << 20),
                    waker,
                    System::nanoTime);

    private final MirrorWriter writer = new MirrorWriter(mirror, () -> 0);

    @BeforeEach
    void synchronize() throws Exception {
        writer.resync().complete(START);
        awaitWaker();
    }

    @AfterEach
    void close() {
        readers.forEach(Thread::interrupt);
        waker.close();
    }

    @Test
    void subscriber_that_waits_longer_than_the_window_misses_no_relevant_change() throws Exception {
        WaitingReader dreamer = new WaitingReader(new Interest.Named("", "x"), LONG);
        for (int i = 11; i <= 40; i++) {
            writer.upsert(object("a/other", i));
            awaitWaker();
        }
        assertThat(dreamer.readings).isEmpty();

        writer.upsert(object("a/x", 41));

        assertThat(dreamer.next().changes())
                .extracting(logged -> logged.change().key().path())
                .contains("a/x");
    }

    @Test
    void disarmed_subscription_advances_past_irrelevant_changes() throws Exception {
        Cursor cursor = mirror.view().cursor();
        try (Subscription subscription = mirror.subscribe(new Interest.Within("b"), () -> {})) {
            assertThat(subscription.arm(cursor)).isTrue();
            for (int i = 11; i <= 40; i++) {
                writer.upsert(object("a/other", i));
                awaitWaker();
            }

            assertThat(subscription.disarm(cursor)).isEqualTo(mirror.view().cursor());
        }
    }

    @Test
    void subscription_that_never_armed_keeps_its_cursor() throws Exception {
        Cursor cursor = mirror.view().cursor();
        writer.upsert(object("a/x", 11));
        awaitWaker();

        try (Subscription awake = mirror.subscribe(new Interest.Named("", "x"), () -> {})) {
            assertThat(awake.disarm(cursor)).isEqualTo(cursor);
            assertThat(awake.arm(cursor)).isFalse();
            assertThat(awake.disarm(cursor)).isEqualTo(cursor);
        }
    }

    @Test
    void end_of_the_history_wakes_readers_regardless_of_interest() throws Exception {
        WaitingReader dreamer = new WaitingReader(new Interest.Named("", "nobody"), LONG);

        writer.forget();

        assertThat(dreamer.readings.take()).isInstanceOf(Reading.Ended.class);
    }

    /** The window holds four changes: a reader that had to read them all would expire at once. */
    @Test
    void each_reader_gets_exactly_the_changes_within_its_interest() throws Exception {
        long seed = System.nanoTime();
        RandomGenerator random = new SplittableRandom(seed);
        List<WaitingReader> dreamers = new ArrayList<>();
        for (int name = 0; name < NAMES; name++) {
            dreamers.add(new WaitingReader(new Interest.Named("a", "n" + name), LONG));
        }
        for (int revision = 11; revision < 2_000; revision++) {
            int name = random.nextInt(NAMES);
            WaitingReader dreamer = dreamers.get(name);
            writer.upsert(object("a/n" + name, revision));
            assertThat(dreamer.next().next().revision().digits())
                    .as("seed %d", seed)
                    .isEqualTo(Integer.toString(revision));
            dreamer.awaitSleep();
        }
        assertThat(dreamers).allSatisfy(dreamer -> assertThat(dreamer.readings).isEmpty());
    }

    /**
     * The notifier has one thread, which has then examined everything that was published before.
     */
    private void awaitWaker() throws Exception {
        waker.submit(() -> {}).get();
    }

    /** Reads repeatedly, and waits in between. */
    private final class WaitingReader {

        private final BlockingQueue<Reading> readings = new LinkedBlockingQueue<>();
        private final Interest interest;
        private final Duration patience;
        private final Cursor start = mirror.view().cursor();
        private final Thread thread;

        WaitingReader(Interest interest, Duration patience) {
            this.interest = interest;
            this.patience = patience;
            this.thread = Thread.ofVirtual().start(this::run);
            readers.add(thread);
            awaitSleep();
        }

        private void run() {
            Cursor cursor = start;
            try {
                while (true) {
                    Reading reading = BlockingReader.read(mirror, cursor, interest, patience);
                    readings.add(reading);
                    if (!(reading instanceof Reading.Progress progress)) {
                        return;
                    }
                    cursor = progress.next();
                }
            } catch (InterruptedException closed) {
                // The test is over.
            }
        }

        Reading.Progress next() throws InterruptedException {
            return (Reading.Progress) readings.take();
        }

        void awaitSleep() {
            while (thread.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
        }
    }
}
