package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Restoration;
import io.kubemirror.mirror.UpstreamStatus.State;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.FakeSource.FakeStream;
import io.kubemirror.reflector.ReflectorState.Opening;
import io.kubemirror.reflector.ReflectorState.Watching;
import io.kubemirror.source.Result;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests when a mirror is listed because its objects may look different (list-watch.md#up-48). */
class SchemaCheckTest extends StateMachineHarness {

    static List<WatchFrame> ends() {
        return List.of(ENDED, CUT, failed(429, "TooManyRequests"), failed(500, "InternalError"));
    }

    @ParameterizedTest
    @MethodSource("ends")
    @TransitionRow("Opening: accepted by a server that shows the objects in another way")
    void objects_of_another_schema_are_listed_after_any_early_end(WatchFrame end) {
        Opening again = endedEarly(end);
        FakeStream stream = api.shows(Result.of("v1.37")).streams();

        assertThat(step(again)).isEqualTo(RESOLVING);
        assertThat(stream.closed).isTrue();
        assertThat(mirror.upstream().state()).isEqualTo(State.RESYNCING);
    }

    @ParameterizedTest
    @MethodSource("ends")
    void same_schema_is_watched_on(WatchFrame end) {
        Opening again = endedEarly(end);
        api.streams();

        assertThat(step(again)).isInstanceOf(Watching.class);
        assertThat(api.lists).hasSize(1);
    }

    /** The API server says that it initializes the storage of a type again. */
    @Test
    void refused_watch_is_a_signal() {
        filled();
        api.answersWatch(refused(429, "storage is (re)initializing")).shows(Result.of("v1.37"));
        api.streams();

        assertThat(run(opening, 3)).isEqualTo(RESOLVING);
    }

    @Test
    void watch_that_lasts_as_long_as_requested_costs_no_request() {
        filled();
        api.streams(ENDED);
        ReflectorState watching = step(opening);
        now = now.plus(api.watches.getLast().timeout());
        api.shows(Result.of("v1.37")).streams();

        assertThat(run(watching, 2)).isInstanceOf(Watching.class);
    }

    @Test
    void mirror_is_not_synced_while_the_server_takes_its_time_with_the_next_watch() {
        Opening again = endedEarly(ENDED);
        List<State> meanwhile = new ArrayList<>();
        api.beforeAnswer(() -> meanwhile.add(mirror.upstream().state()));
        api.streams();

        assertThat(step(again)).isInstanceOf(Watching.class);
        assertThat(meanwhile).containsExactly(State.RESYNCING);
        assertThat(mirror.upstream().state()).isEqualTo(State.SYNCED);
    }

    @Test
    void unknown_schema_is_listed_after_an_early_end() {
        Opening again = endedEarly(ENDED);
        api.shows(Result.failed(refused(403, "Forbidden"))).streams();

        assertThat(step(again)).isEqualTo(RESOLVING);
    }

    /** Another server behind the same address may not know the definition yet. */
    @Test
    void early_ends_soon_after_a_change_are_listed() {
        Opening again = endedEarly(ENDED);
        api.shows(Result.of("v1.37")).streams();
        step(again);
        relisted();

        assertThat(step(endedEarly())).isEqualTo(RESOLVING);
        relisted();
        now = now.plusSeconds(100);
        assertThat(step(endedEarly())).isInstanceOf(Watching.class);
    }

    @Test
    void restored_content_of_another_schema_is_listed() {
        Restoration restoration = writer.restoration();
        restoration.add(object("a/x", 100));
        restoration.begin(new Revision("110"));
        Mirrors.restore(restoration, PODS, 120, now, now.minusSeconds(10));
        api.discovers(PODS).shows(Result.of("v1.37"));

        assertThat(step(RESOLVING)).isEqualTo(synchronizing);
    }

    private void filled() {
        relisted();
        now = now.plusSeconds(100);
    }

    private void relisted() {
        now = now.plusSeconds(10);
        api.discovers(PODS).listsPage(130, null, object("a/x", 7));
        assertThat(run(RESOLVING, 4)).isInstanceOf(Opening.class);
    }

    private Opening endedEarly(WatchFrame end) {
        filled();
        return opens(end);
    }

    private Opening endedEarly() {
        Opening again = opens(ENDED);
        api.streams();
        return again;
    }

    private Opening opens(WatchFrame end) {
        api.streams(bookmark(130), end);
        ReflectorState next = run(opening, 3);
        return (Opening) (next instanceof ReflectorState.BackingOff ? step(next) : next);
    }
}
