package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.encode.SharedBodies;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.watch.Watch.NextStep;
import io.kubemirror.api.watch.WatchConnection.EndReason;
import io.kubemirror.api.watch.WatchProperties.BatchProperties;
import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Backlog;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Resync;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.Mirrors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests a watch step by step, on a clock that the test moves. */
class WatchTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HALF_AN_HOUR = Duration.ofMinutes(30);

    private final MirrorWriter writer = writer(Mirrors.window());
    private static final Duration DELAY = Duration.ofMillis(80);
    private static final byte[] GREETING = "hello\n".getBytes(StandardCharsets.UTF_8);

    private final List<String> sent = new ArrayList<>();
    private Runnable onSend = () -> {};
    private byte @Nullable [] greeting;
    private BatchProperties batch = ApiFixture.WATCHES.batch();
    private long now;
    private int rung;

    private static MirrorWriter writer(Window window) {
        MirrorWriter writer = Mirrors.writer(Mirrors.pods(window), () -> 0);
        ApiSamples.fillWithGoldenPods(writer);
        return writer;
    }

    @Test
    void bookmarks_are_sent_once_a_minute_with_the_current_revision() {
        Watch watch = waiting();
        for (long revision : List.of(120L, 130L)) {
            writer.bookmark(KubeObjects.revision(revision));
            assertThat(after(Duration.ZERO, watch)).isEmpty();
            assertThat(after(MINUTE, watch)).containsExactly(bookmark(revision));
        }
    }

    @Test
    void client_that_is_sent_elsewhere_gets_what_there_is_and_a_bookmark_before_the_end() {
        Watch watch = waiting();
        watch.leave();
        assertThat(step(watch)).as("no bookmark precedes the start").isTrue();
        assertThat(sent).isEmpty();

        change(111);
        writer.bookmark(KubeObjects.revision(120));
        sendOne(watch);
        assertThat(taken()).hasSize(2).last().isEqualTo(bookmark(120));
        assertThat(watch.next()).isEqualTo(new NextStep.End(EndReason.REBALANCED));
    }

    @Test
    void watch_can_leave_after_five_bookmarks() {
        Watch watch = waiting();
        pass(MINUTE.multipliedBy(5).minusNanos(1));
        assertThat(watch.isMovable()).isFalse();
        pass(Duration.ofNanos(1));
        assertThat(watch.isMovable()).isTrue();
        Watch without = following(110, schedule(false, HALF_AN_HOUR));
        pass(HALF_AN_HOUR);
        assertThat(without.isMovable()).isFalse();
    }

    /** At a revision within the bridge the client could not resume (list-watch.md#re-14). */
    @Test
    void bookmark_follows_the_changes_of_a_bridge() {
        Watch watch = waiting();
        Resync resync = writer.resync();
        writer.mirror().snapshot().orElseThrow().objects().forEach(resync::add);
        resync.add(ApiSamples.object("a", "z", 115));
        resync.complete(KubeObjects.revision(120));
        step(watch);
        assertThat(taken()).hasSize(2).last().isEqualTo(bookmark(120));
        step(watch);
        assertThat(sent).isEmpty();
    }

    @Test
    void no_bookmark_precedes_the_start_of_the_watch() {
        Watch watch = following(115, bookmarks(HALF_AN_HOUR));
        step(watch);
        for (long revision : List.of(114L, 115L)) {
            writer.bookmark(KubeObjects.revision(revision));
            assertThat(after(MINUTE, watch)).isEmpty();
        }
        writer.bookmark(KubeObjects.revision(116));
        assertThat(after(MINUTE, watch)).containsExactly(bookmark(116));
    }

    @Test
    void no_bookmark_precedes_the_end_of_the_replay() {
        change(120);
        Watch watch = waiting();
        assertThat(taken()).hasSize(1);
        assertThat(after(MINUTE, watch)).isEmpty();
        writer.bookmark(KubeObjects.revision(121));
        assertThat(after(MINUTE, watch)).containsExactly(bookmark(121));
    }

    @Test
    void watch_is_behind_by_the_changes_that_are_not_sent() {
        Watch watch = waiting();
        assertThat(watch.backlog(0)).isEqualTo(Backlog.NONE);
        change(120, 121);
        assertThat(watch.backlog(MINUTE.toNanos()))
                .as("a watch waits for older changes since it began")
                .isEqualTo(new Backlog(2, Duration.ZERO));
        pass(MINUTE);
        List<Backlog> during = new ArrayList<>();
        onSend = () -> during.add(watch.backlog(MINUTE.toNanos()));

        assertThat(watch.backlog(MINUTE.toNanos())).isEqualTo(new Backlog(2, MINUTE));
        step(watch);
        assertThat(during).containsExactly(new Backlog(2, MINUTE));
        pass(MINUTE);
        step(watch);
        assertThat(watch.backlog(MINUTE.toNanos())).isEqualTo(Backlog.NONE);
    }

    /** Changes during the wait do not concern the watch. */
    @Test
    void watch_of_a_selection_is_behind_only_while_it_sends() throws Exception {
        Selection named =
                new Selection("", Selection.everything().labels(), ListOptions.ofName("not-there"));
        Watch watch = following(writer.mirror(), 110, bookmarks(HALF_AN_HOUR), named);
        step(watch);
        change(120);
        assertThat(watch.backlog(MINUTE.toNanos())).isEqualTo(Backlog.NONE);
    }

    /**
     * As if the notifier had overwritten the revision, see {@link
     * io.kubemirror.mirror.Subscription}.
     */
    @Test
    void watch_with_a_position_gap_ends_with_410() {
        Cursor known = writer.mirror().position().orElseThrow().cursor();
        change(120, 121);
        Cursor overwritten = new Cursor(KubeObjects.revision(120), known.era(), known.position());
        Watch watch = loop(writer.mirror(), WatchPhase.after(overwritten), bookmarks(HALF_AN_HOUR));

        sendOne(watch);

        assertThat(taken()).singleElement().asString().contains("\"ERROR\"", "\"code\":410");
        assertThat(watch.next()).isEqualTo(new NextStep.End(EndReason.GAP));
    }

    @Test
    void last_bookmark_is_sent_two_seconds_before_the_end() {
        Watch watch = following(110, bookmarks(Duration.ofSeconds(5)));
        step(watch);
        writer.bookmark(KubeObjects.revision(120));
        assertThat(after(Duration.ofMillis(2_999), watch)).isEmpty();
        assertThat(after(Duration.ofMillis(1), watch)).containsExactly(bookmark(120));
        pass(Duration.ofSeconds(2));
        assertThat(step(watch)).isFalse();
        assertThat(sent).isEmpty();
    }

    @Test
    void silent_watch_of_server_sent_events_gets_a_keep_alive_comment() {
        greeting = GREETING;
        Watch watch = following(110, schedule(false, HALF_AN_HOUR));
        step(watch);
        pass(Duration.ofSeconds(14));
        change(120);
        assertThat(after(Duration.ZERO, watch)).isNotEmpty();
        pass(Duration.ofSeconds(14));
        writer.bookmark(KubeObjects.revision(121));
        assertThat(after(Duration.ZERO, watch)).isEmpty();
        assertThat(after(Duration.ofSeconds(1), watch)).containsExactly(": keep-alive", "");
    }

    @Test
    void watch_that_is_too_slow_ends_with_410() {
        MirrorWriter forgetful = writer(new Window(1, 1, Duration.ZERO, 1L << 20));
        Watch watch =
                following(forgetful.mirror(), 110, bookmarks(HALF_AN_HOUR), Selection.everything());
        step(watch);
        forgetful.upsert(ApiSamples.object("a", "z", 120));
        forgetful.upsert(ApiSamples.object("a", "z", 121));
        assertThat(step(watch)).isFalse();
        assertThat(sent).singleElement().asString().contains("too old resource version: 110 (120)");
    }

    @Test
    void new_history_ends_the_stream_cleanly() {
        Watch watch = waiting();
        pass(Duration.ofSeconds(2));
        ApiSamples.synchronize(writer, 50, ApiSamples.object("a", "x", 40));
        assertThat(step(watch)).isFalse();
        assertThat(sent).isEmpty();
    }

    @Test
    void new_history_right_after_the_start_ends_the_stream_with_410() {
        Watch watch = waiting();
        ApiSamples.synchronize(writer, 50, ApiSamples.object("a", "x", 40));
        step(watch);
        assertThat(step(watch)).isFalse();
        assertThat(sent).singleElement().asString().contains("too old resource version: 110 (50)");
    }

    @Test
    void changes_during_initial_events_are_sent_after_their_end() {
        Watch watch =
                loop(
                        writer.mirror(),
                        new WatchPhase.Initial(writer.mirror().position().orElseThrow(), true),
                        bookmarks(HALF_AN_HOUR));
        writer.upsert(ApiSamples.object("a", "z", 120));
        ApiSamples.delete(writer, "a", "x", 121);
        sendOne(watch);
        assertThat(taken())
                .hasSize(4)
                .allMatch(line -> !line.contains("DELETED"))
                .last()
                .asString()
                .contains("initial-events-end");
        step(watch);
        assertThat(sent).hasSize(2);
        assertThat(sent.getFirst()).contains("ADDED", "\"120\"");
        assertThat(sent.getLast()).contains("DELETED", "\"121\"");
    }

    /** Otherwise the client would take its end for that of a watch that is over. */
    @Test
    void watch_that_fails_ends_with_an_error() {
        Mirror mirror = writer.mirror();
        FrameEncoder defective =
                Watches.frames(
                        (_, _) -> {
                            throw new IllegalStateException("as scripted");
                        },
                        new SharedBodies(ClientMemory.of(MemoryBudget.unlimited())));
        Watch watch =
                Watches.watch(
                        Watches.wanted(mirror, Selection.everything()),
                        defective,
                        new WatchPhase.Initial(mirror.position().orElseThrow(), false),
                        bookmarks(HALF_AN_HOUR),
                        () -> {});

        FrameBatch last = ((NextStep.Send) watch.next()).batch();
        assertThat(last.frames())
                .singleElement()
                .extracting(frame -> new String(frame, StandardCharsets.UTF_8))
                .asString()
                .contains("ERROR", "InternalError");
        assertThat(watch.next()).isEqualTo(new NextStep.End(EndReason.CLOSED));
    }

    @Test
    void waiting_watch_is_signaled_once_until_it_waits_again() {
        Watch watch = waiting();
        change(120, 121);
        assertThat(rung).isEqualTo(1);
        assertThat(step(watch)).isTrue();
        change(122);
        assertThat(rung).isEqualTo(2);
        watch.end(EndReason.CLOSED);
        change(123);
        assertThat(rung).isEqualTo(2);
    }

    @Test
    void batch_is_sent_with_the_configured_number_of_events() {
        batch = new BatchProperties(2, Duration.ZERO);
        Watch few = waiting();
        change(111, 112, 113);

        assertThat(sentBatches(few)).containsExactly(2, 1);
    }

    @Test
    void change_waits_for_others_until_the_delay_is_over() {
        Watch watch = delayed(HALF_AN_HOUR);
        change(111);
        NextStep.Rest rest = (NextStep.Rest) watch.next();
        assertThat(rest.until()).isEqualTo(now + DELAY.toNanos());

        pass(DELAY.dividedBy(2));
        change(112);
        assertThat(watch.next()).isEqualTo(rest);
        pass(DELAY.dividedBy(2));
        assertThat(sentBatches(watch)).containsExactly(2);

        change(113);
        assertThat(watch.next()).isEqualTo(new NextStep.Rest(now + DELAY.toNanos()));
    }

    /** Otherwise the watch would read no faster than one reading for each delay. */
    @Test
    void change_does_not_wait_while_others_that_exist_are_still_to_be_read() {
        batch = new BatchProperties(1_000, DELAY);
        Watch watch = waiting();
        change(LongStream.range(111, 800).toArray());
        assertThat(sentBatches(watch)).containsExactly(512);
    }

    @Test
    void change_that_waits_is_sent_before_the_watch_ends() {
        Watch watch = delayed(DELAY.dividedBy(2));
        change(111);
        assertThat(watch.next()).isEqualTo(new NextStep.Rest(now + DELAY.toNanos() / 2));

        pass(DELAY.dividedBy(2));
        assertThat(step(watch)).isFalse();
        assertThat(sent).hasSize(1);
    }

    /** A watch that waits for changes, which are to wait for others. */
    private Watch delayed(Duration length) {
        batch = new BatchProperties(3, DELAY);
        Watch watch = following(110, bookmarks(length));
        assertThat(step(watch)).isTrue();
        return watch;
    }

    private void change(long... revisions) {
        for (long revision : revisions) {
            writer.upsert(ApiSamples.object("a", "x", revision));
        }
    }

    /** The number of events in each batch that is sent until the watch waits. */
    private List<Integer> sentBatches(Watch watch) {
        List<Integer> sizes = new ArrayList<>();
        NextStep next = watch.next();
        while (next instanceof NextStep.Send(FrameBatch sending)) {
            sizes.add(sending.events());
            next = watch.next();
        }
        return sizes;
    }

    /** A watch with bookmarks that has sent everything. */
    private Watch waiting() {
        Watch watch = following(110, bookmarks(HALF_AN_HOUR));
        assertThat(step(watch)).isTrue();
        return watch;
    }

    private Watch following(long revision, WatchSchedule schedule) {
        return following(writer.mirror(), revision, schedule, Selection.everything());
    }

    private Watch following(
            Mirror mirror, long revision, WatchSchedule schedule, Selection selection) {
        Cursor cursor =
                switch (mirror.start(KubeObjects.revision(revision))) {
                    case StartPosition.From from -> from.cursor();
                    case StartPosition.TooOld old -> throw new AssertionError(old);
                };
        return loop(mirror, WatchPhase.after(cursor), schedule, selection);
    }

    private Watch loop(Mirror mirror, WatchPhase start, WatchSchedule schedule) {
        return loop(mirror, start, schedule, Selection.everything());
    }

    private Watch loop(
            Mirror mirror, WatchPhase start, WatchSchedule schedule, Selection selection) {
        return Watches.watch(
                Watches.wanted(mirror, selection), Watches.frames(), start, schedule, () -> rung++);
    }

    /** Runs a watch until it waits or ends, and returns whether it continues. */
    private boolean step(Watch watch) {
        NextStep next = watch.next();
        while (next instanceof NextStep.Send(FrameBatch batch)) {
            send(batch);
            next = watch.next();
        }
        return next instanceof NextStep.Rest;
    }

    /** What a watch sends when some time has passed. */
    private List<String> after(Duration time, Watch watch) {
        pass(time);
        assertThat(step(watch)).isTrue();
        return taken();
    }

    private void sendOne(Watch watch) {
        send(((NextStep.Send) watch.next()).batch());
    }

    private void send(FrameBatch batch) {
        onSend.run();
        for (byte[] frame : batch.frames()) {
            new String(frame, StandardCharsets.UTF_8).lines().forEach(sent::add);
        }
    }

    private WatchSchedule bookmarks(Duration length) {
        return schedule(true, length);
    }

    private WatchSchedule schedule(boolean bookmarks, Duration length) {
        return new WatchSchedule(
                () -> now,
                bookmarks ? ApiFixture.WATCHES.bookmarkInterval() : Duration.ZERO,
                length,
                batch,
                greeting,
                null);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private List<String> taken() {
        List<String> taken = List.copyOf(sent);
        sent.clear();
        return taken;
    }

    private static String bookmark(long revision) {
        return "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\""
                + revision
                + "\"}}}";
    }
}
