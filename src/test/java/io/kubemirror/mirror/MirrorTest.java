package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.mirror.MirrorWriter.Applied;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MirrorTest extends MirrorHarness {

    MirrorTest() {
        super(8);
    }

    @Test
    void mirror_is_empty_until_the_first_list_completes() {
        Resync resync = writer.resync();
        resync.add(object("a/x", 101));

        assertThat(mirror.snapshot()).isEmpty();
        assertThat(mirror.position()).isEmpty();
        assertThat(mirror.revision()).isEqualTo(Revision.ZERO);
    }

    /** What changes do to the mirror and its clients, by the steps of {@link MirrorHarness#run}. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    an update that changes nothing but the revision is an event | list 10 a/x@1; at 10 w; upsert a/x@11 -> CHANGED; sees w -> Modified a/x at 11, until 11; state 10 -> a/x@1 at 10
                    an event that is not newer than the mirror is a duplicate | list 110 a/x@101; upsert a/x@110 -> DUPLICATE; delete a/x 109 -> DUPLICATE; mirror now -> 110 to 110 has a/x@101
                    the deletion of an unknown object only advances the revision | list 110; at 110 w; delete a/x 115 -> UNKNOWN; sees w -> until 115
                    an object that is created again is a deletion and an addition | list 110 a/x:u@101; at 110 w; upsert a/x:v@115; sees w -> Deleted a/x at 111, Added a/x at 115, until 115
                    without a free revision for its deletion that is a contradiction | list 110 a/x:u@101; upsert a/x:v@111 -> CONTRADICTION; mirror now -> 110 to 110 has a/x@101
                    a watch starts at or above the floor, not below | list 110; start 109 -> from 110; start 110 -> yes; start 500 -> yes
                    a watch from the future omits earlier changes | list 110; at 200 w; upsert a/x@150; sees w -> until 200; upsert a/y@201; sees w -> Added a/y at 201, until 201
                    there is a state from the list to the current revision | list 110 a/x@101; upsert a/y@115; bookmark 120; state 109 -> none; state 110 -> a/x@101 at 110; state 114 -> a/x@101 at 114; state 115 -> a/x@101 a/y@115 at 115; state 120 -> a/x@101 a/y@115 at 120; state 121 -> none
                    objects are in the order of their keys, a dash before a slash | list 110 a/x@103 a/y@102 a-b/x@101; mirror now -> 110 to 110 has a-b/x@101 a/x@103 a/y@102
                    """)
    void change_leads_to(String what, String steps) {
        run(steps);
    }

    /** The log still has the state before its oldest change, which came after the missed ones. */
    @Test
    void missed_state_stays_missed_when_more_states_are_missed() {
        list(100);
        list(131, object("a/b", 127));
        for (int i = 132; i < 140; i++) {
            writer.upsert(object("a/c", i));
        }
        assertThat(mirror.snapshot(revision(129))).as("before").isEmpty();
        assertThat(mirror.view().recent().base().revision()).isEqualTo(revision(127));

        list(150, object("a/b", 127), object("a/c", 139));

        assertThat(mirror.snapshot(revision(129))).as("after").isEmpty();
        assertThat(mirror.snapshot(revision(131))).isPresent();
    }

    /** Such as those of Events whose lease has expired. */
    @Test
    void deletions_of_one_transaction_are_changes_of_their_own() {
        list(10, object("a/x", 1), object("a/y", 2), object("a/z", 3));
        Cursor start = cursor();
        writer.delete(new ObjectKey("a/x"), revision(20));
        Cursor between = cursor();

        assertThat(writer.delete(new ObjectKey("a/y"), revision(20))).isEqualTo(Applied.CHANGED);
        assertThat(writer.delete(new ObjectKey("a/y"), revision(20))).isEqualTo(Applied.DUPLICATE);
        writer.delete(new ObjectKey("a/z"), revision(20));

        List<String> rest = List.of("Deleted a/y at 20", "Deleted a/z at 20");
        assertThat(seenBy(start))
                .startsWith("Deleted a/x at 20")
                .endsWith(rest.toArray(String[]::new));
        assertThat(seenBy(between)).isEqualTo(rest);
        assertThat(seenBy(cursor())).isEmpty();
        assertThat(seenBy(cursor(20))).as("a client that may have the first only").isEqualTo(rest);
        assertThat(mirror.view().at(between.revision()).orElseThrow().size()).isEqualTo(2);
        assertThat(mirror.snapshot(revision(20)).orElseThrow().size()).isZero();
        assertThat(mirror.revision()).isEqualTo(revision(20));
    }

    /** Returns whether another thread can have the history counted. */
    private boolean isFree() {
        CompletableFuture<Void> counted =
                CompletableFuture.runAsync(
                        () -> writer.shorten(0), task -> new Thread(task).start());
        try {
            counted.get(10, TimeUnit.SECONDS);
            return true;
        } catch (InterruptedException | ExecutionException | TimeoutException _) {
            return false;
        }
    }

    /** A copy on a disk that hangs must not keep the mirror from going on. */
    @Test
    void action_before_a_replacement_holds_no_lock_and_precedes_the_content() {
        list(10);
        List<Boolean> free = new ArrayList<>();
        List<Revision> seen = new ArrayList<>();
        List<Long> numbers = new ArrayList<>();
        writer.beforeReplacement(
                () -> {
                    free.add(isFree());
                    seen.add(mirror.revision());
                    numbers.add(writer.replacements() % 2);
                });

        list(20, object("a/x", 15));
        writer.upsert(object("a/x", 21));
        writer.forget();

        assertThat(free).containsExactly(true, true);
        assertThat(seen).containsExactly(revision(10), revision(21));
        assertThat(numbers).containsExactly(1L, 1L);
        assertThat(writer.replacements()).isEqualTo(6);
    }

    @Test
    void action_before_a_replacement_that_fails_does_not_stop_the_mirror() {
        list(10);
        writer.beforeReplacement(
                () -> {
                    throw new InternalError("as scripted");
                });

        list(20, object("a/x", 15));

        assertThat(mirror.revision()).isEqualTo(revision(20));
        assertThat(stored("a/x").revision()).isEqualTo(revision(15));
    }

    @Test
    void client_does_not_resume_among_deletions_of_one_transaction_that_have_left_the_history() {
        list(10, object("a/w", 1), object("a/x", 2), object("a/y", 3), object("a/z", 4));
        Cursor start = cursor();
        writer.delete(new ObjectKey("a/w"), revision(20));
        Cursor between = cursor();
        writer.delete(new ObjectKey("a/x"), revision(20));
        writer.delete(new ObjectKey("a/y"), revision(20));
        for (int i = 21;
                mirror.view().recent().capacity() > mirror.view().recent().changes() || i < 40;
                i++) {
            writer.upsert(object("a/z", i));
        }

        assertThat(mirror.start(revision(20))).isInstanceOf(StartPosition.TooOld.class);
        assertThat(mirror.read(between)).isInstanceOf(Reading.Expired.class);
        assertThat(mirror.read(start)).isInstanceOf(Reading.Expired.class);
    }

    /** The history is shorter then than readers were told. */
    @Test
    void readers_do_not_wait_for_a_change_that_failed() throws Exception {
        list(10);
        Cursor start = cursor();
        writer.upsert(object("a/x", 11));
        Revision first = mirror.revision();
        for (int i = 12; i < 19; i++) {
            writer.upsert(object("a/x", i));
        }
        assertThatThrownBy(() -> writer.publish(log -> evicting(log)))
                .isInstanceOf(StackOverflowError.class);

        assertThat(atOnce(() -> mirror.read(start))).isInstanceOf(Reading.Ended.class);
        assertThat(atOnce(() -> mirror.snapshot(first))).isEmpty();
        writer.upsert(object("a/x", 20));
        assertThat(mirror.revision()).isEqualTo(revision(20));
    }

    private static <T> T atOnce(Callable<T> reader) throws Exception {
        FutureTask<T> read = new FutureTask<>(reader);
        Thread.ofPlatform().daemon().start(read);
        return read.get(30, TimeUnit.SECONDS);
    }

    private static View evicting(EventLog log) {
        log.shorten(1);
        throw new StackOverflowError("as scripted");
    }

    @Test
    void reader_that_saw_the_last_evicted_change_continues() {
        list(100);
        for (int revision = 102; revision <= 120; revision += 2) {
            writer.upsert(object("a/x", revision));
        }
        // 106..120 are kept: 104 was evicted last, and a new watch may only start from 105.
        Cursor reader = new Cursor(revision(104), cursor().era());

        assertThat(mirror.start(revision(104))).isEqualTo(new StartPosition.TooOld(revision(105)));
        assertThat(seenBy(reader)).hasSize(8);
    }

    @Test
    void reader_far_behind_catches_up_in_batches_without_missing_a_change() {
        Mirror large = Mirrors.pods();
        MirrorWriter largeWriter = Mirrors.writer(large, () -> 0);
        largeWriter.resync().complete(revision(100));
        Cursor cursor = large.position().orElseThrow().cursor();
        for (int revision = 101; revision <= 1400; revision++) {
            largeWriter.upsert(object("a/x", revision));
        }

        int changes = 0;
        int portions = 0;
        while (!cursor.revision().equals(large.revision())) {
            Reading.Progress progress = (Reading.Progress) large.read(cursor);
            assertThat(progress.changes()).hasSizeLessThanOrEqualTo(512);
            changes += progress.changes().size();
            portions++;
            cursor = progress.next();
        }

        assertThat(changes).isEqualTo(1300);
        assertThat(portions).isEqualTo(3);
    }

    @Test
    void bookmark_completes_a_wait_for_its_revision() throws Exception {
        list(110);
        assertThat(mirror.await(revision(110), Duration.ZERO)).isTrue();
        assertThat(mirror.await(revision(120), Duration.ZERO)).isFalse();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Boolean> result =
                    threads.submit(() -> mirror.await(revision(120), Duration.ofMinutes(1)));
            writer.bookmark(revision(120));

            assertThat(result.get(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void interrupted_reader_stops_waiting() {
        list(110);
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> mirror.await(revision(120), Duration.ofMinutes(1)))
                .isInstanceOf(InterruptedException.class);
    }

    @Test
    void mirror_bytes_equal_the_size_of_the_current_objects() {
        KubeObject small = object("a/x", 101);
        KubeObject large = object("a/x", "uid-a/x", 111, Map.of("a", "long label value"));
        list(110, small);
        assertThat(mirror.bytes()).isEqualTo(small.json().length);

        writer.upsert(large);
        assertThat(mirror.bytes()).isEqualTo(large.json().length);
        writer.delete(large.key(), revision(112));
        assertThat(mirror.bytes()).isZero();
    }

    /**
     * The writer may overwrite the oldest change while a reader looks for it, and the newest view
     * may still begin right after it.
     */
    @Test
    void snapshot_is_missing_only_if_the_window_does_not_reach_its_revision() throws Exception {
        list(1);
        int last = 60_000;
        try (ExecutorService readers = Executors.newFixedThreadPool(2)) {
            Runnable reading =
                    () -> {
                        while (mirror.revision().isBefore(revision(last))) {
                            Revision edge = mirror.floor();
                            if (mirror.snapshot(edge).isEmpty()) {
                                assertThat(mirror.floor()).isGreaterThan(edge);
                            }
                        }
                    };
            List<Future<?>> results = List.of(readers.submit(reading), readers.submit(reading));
            for (int revision = 2; revision <= last; revision++) {
                writer.upsert(object("a/x", revision));
            }
            for (Future<?> result : results) {
                result.get(60, TimeUnit.SECONDS);
            }
        }
    }
}
