package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.encode.ObjectEncoder;
import io.kubemirror.api.encode.SharedBodies;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Representation;
import io.kubemirror.api.http.Representation.Accept.MediaRange;
import io.kubemirror.api.http.Representation.ResponseShape;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.api.watch.Watch.NextStep;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.ReadPolicy;
import io.kubemirror.mirror.ReadPolicy.ReadMode;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.model.SteadyClock;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests what a watch says about the state of its mirror, on a clock that the test moves. */
class StateNoticesTest {

    private static final Instant START = Instant.parse("2026-01-02T03:04:05Z");
    private static final Duration BOUND = Duration.ofSeconds(90);
    private static final MediaRange JSON = MediaRange.parse("application/json");

    private final MirrorWriter writer =
            Mirrors.writer(
                    new Mirror(
                            new Scope(new ResourceName("pods"), Selection.everything()),
                            Mirrors.window(),
                            new ReadPolicy(ReadMode.CACHE, true, BOUND, "", List.of()),
                            Runnable::run,
                            System::nanoTime),
                    () -> 0);

    private final List<String> sent = new ArrayList<>();
    private Duration passed = Duration.ZERO;
    private int signals;

    StateNoticesTest() {
        ApiSamples.fillWithGoldenPods(writer);
        enter(Phase.WATCHING);
    }

    @Test
    void server_sent_state_has_no_id_and_says_since_when_and_at_which_revision() {
        Watch watch = waiting();
        assertThat(sent).as("a client takes a mirror for synced").isEmpty();
        passed = passed.plus(Duration.ofSeconds(10));

        enter(Phase.BACKING_OFF);
        step(watch);

        assertThat(taken())
                .containsExactly(
                        "event: STATE",
                        "data: {\"type\":\"STATE\",\"object\":{\"state\":\"stale\","
                                + "\"since\":\"2026-01-02T03:04:15Z\",\"revision\":\"110\"}}",
                        "");
    }

    @Test
    void each_transition_signals_a_watch_that_waits() {
        Watch watch = waiting();
        for (Phase phase : List.of(Phase.BACKING_OFF, Phase.SYNCHRONIZING, Phase.WATCHING)) {
            signals = 0;
            enter(phase);
            assertThat(signals).as("%s", phase).isOne();
            step(watch);
        }
        assertThat(states()).containsExactly("stale", "resyncing", "synced");
    }

    @Test
    void watch_that_begins_while_the_mirror_is_stale_is_told() {
        enter(Phase.BACKING_OFF);

        step(watch(WatchFraming.SERVER_SENT_EVENTS, true));

        assertThat(states()).containsExactly("stale");
    }

    @Test
    void slow_client_gets_only_the_newest_state_after_what_it_missed() {
        Watch watch = waiting();
        writer.upsert(ApiSamples.object("a", "z", 120));
        NextStep.Send pending = (NextStep.Send) watch.next();
        enter(Phase.BACKING_OFF);
        writer.upsert(ApiSamples.object("a", "z", 121));
        enter(Phase.SYNCHRONIZING);

        send(pending.batch());
        step(watch);

        assertThat(sent.stream().filter(line -> line.startsWith("event: ")))
                .containsExactly("event: ADDED", "event: MODIFIED", "event: STATE");
        assertThat(states()).containsExactly("resyncing");
    }

    @Test
    void staleness_by_time_is_told_when_it_is_due() {
        Watch watch = waiting();
        enter(Phase.SYNCHRONIZING);
        long due = rest(watch).until();
        assertThat(states()).containsExactly("resyncing");
        assertThat(Duration.ofNanos(due)).isEqualTo(BOUND.plusMillis(1));

        passed = Duration.ofNanos(due);
        step(watch);

        assertThat(sent).anyMatch(line -> line.contains("\"since\":\"2026-01-02T03:05:35Z\""));
        assertThat(states()).containsExactly("stale");
    }

    @ParameterizedTest
    @EnumSource(Phase.class)
    void watch_that_did_not_ask_is_neither_told_nor_signaled(Phase phase) {
        Watch watch = watch(WatchFraming.JSON_LINES, false);
        step(watch);

        enter(phase);

        assertThat(signals).isZero();
        step(watch);
        assertThat(sent).isEmpty();
    }

    private Watch waiting() {
        Watch watch = watch(WatchFraming.SERVER_SENT_EVENTS, true);
        step(watch);
        return watch;
    }

    private Watch watch(WatchFraming framing, boolean asked) {
        Mirror mirror = writer.mirror();
        StalenessPolicy policy = new StalenessPolicy(new SteadyClock(this::now, this::now));
        WatchSchedule schedule =
                new WatchSchedule(
                        () -> passed.toNanos(),
                        Duration.ZERO,
                        Duration.ofHours(1),
                        ApiFixture.WATCHES.batch(),
                        null,
                        asked ? () -> policy.state(mirror) : null);
        StartPosition.From start = (StartPosition.From) mirror.start(KubeObjects.revision(110));
        FrameEncoder frames =
                new FrameEncoder(
                        new ObjectEncoder.TypeMeta(ApiSamples.PODS),
                        new Representation(framing, ResponseShape.WHOLE, JSON),
                        new SharedBodies(ClientMemory.of(MemoryBudget.unlimited())));
        return Watches.watch(
                Watches.wanted(mirror, Selection.everything()),
                frames,
                WatchPhase.after(start.cursor()),
                schedule,
                () -> signals++);
    }

    private Instant now() {
        return START.plus(passed);
    }

    /** The reflector enters a phase; it has just heard of the server. */
    private void enter(Phase phase) {
        writer.report(new UpstreamStatus(phase, now(), now(), ""));
    }

    private void step(Watch watch) {
        rest(watch);
    }

    private NextStep.Rest rest(Watch watch) {
        NextStep next = watch.next();
        while (next instanceof NextStep.Send(FrameBatch batch)) {
            send(batch);
            next = watch.next();
        }
        return (NextStep.Rest) next;
    }

    private void send(FrameBatch batch) {
        for (byte[] frame : batch.frames()) {
            new String(frame, StandardCharsets.UTF_8).lines().forEach(sent::add);
        }
    }

    private List<String> taken() {
        List<String> taken = List.copyOf(sent);
        sent.clear();
        return taken;
    }

    /** The names of the states that have been sent since the last call. */
    private List<String> states() {
        return taken().stream()
                .filter(line -> line.contains("\"type\":\"STATE\""))
                .map(line -> line.replaceAll(".*\"state\":\"([a-z]+)\".*", "$1"))
                .toList();
    }
}
