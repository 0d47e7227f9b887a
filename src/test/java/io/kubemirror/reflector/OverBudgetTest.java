package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Resync;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.reflector.FakeSource.FakeStream;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorState.BackingOff;
import io.kubemirror.reflector.ReflectorState.Paging;
import io.kubemirror.reflector.ReflectorState.Streaming;
import io.kubemirror.reflector.ReflectorState.Synchronizing;
import io.kubemirror.reflector.ReflectorState.Watching;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests each state when the second object of a collection does not fit into the memory budget. */
class OverBudgetTest extends StateMachineHarness {

    private MirrorWriter limited =
            new MirrorWriter(
                    mirror,
                    () -> 0,
                    new MirrorMemory(MemoryBudget.unlimited()),
                    new MirrorMemory.Limits(1, 0));
    private final Synchronizing sync = listing;
    private FakeStream stream = new FakeStream();

    @BeforeEach
    void limit() {
        machine =
                new StateMachine(
                        api, limited, settings(Strategy.AUTO), reflectorEnvironment(), counts);
    }

    /** The next list may fit in place of the content. */
    @Test
    @TransitionRow({
        "Streaming: the collection does not fit, and the mirror has content",
        "Paging: the collection does not fit, and the mirror has content",
        "Watching: the collection does not fit, and the mirror has content"
    })
    void content_that_no_longer_fits_is_dropped_and_fetched_again_at_once() {
        List<Supplier<ReflectorState>> states =
                List.of(this::streaming, this::paging, this::watchingOn);
        for (Supplier<ReflectorState> state : states) {
            oneObject().complete(revision(120));

            assertThat(next(state)).isEqualTo(RESOLVING);
            assertThat(mirror.snapshot()).isEmpty();
            assertThat(mirror.upstream().phase()).isEqualTo(Phase.OVER_BUDGET);
        }
        assertThat(counts.get(Counter.RETRIES_OTHER)).isEqualTo(3);
    }

    @Test
    @TransitionRow({
        "Streaming: the collection does not fit, and the mirror has no content",
        "Paging: the collection does not fit, and the mirror has no content"
    })
    void collection_that_does_not_fit_is_tried_again_after_five_minutes() {
        assertThat(waitsOfFirstLists())
                .allMatch(wait -> wait.compareTo(Duration.ofMinutes(5)) >= 0)
                .allMatch(wait -> wait.compareTo(Duration.ofMinutes(6)) <= 0);
        assertThat(mirror.upstream().phase()).isEqualTo(Phase.OVER_BUDGET);
        assertThat(mirror.upstream().problem()).contains("max-objects allows 1");
    }

    /** One object fits, and another mirror has been asked to end for the second. */
    private void share() {
        long one = object("a/x", 101).heapBytes();
        MirrorMemory memory = new MirrorMemory(MemoryBudget.of(one * 27 / 10));
        memory.onPressure(_ -> true);
        Mirrors.list(Mirrors.writer(Mirrors.of("nodes"), memory), 101, object("a/z", 101));
        limited = Mirrors.writer(mirror, memory);
        limit();
    }

    @Test
    @TransitionRow({
        "Streaming: the collection does not fit before another mirror has ended",
        "Paging: the collection does not fit before another mirror has ended"
    })
    void collection_that_may_soon_fit_is_tried_again_soon() {
        share();
        Phase before = mirror.upstream().phase();
        assertThat(waitsOfFirstLists()).allMatch(wait -> wait.compareTo(Duration.ofSeconds(1)) < 0);
        assertThat(mirror.upstream().phase()).isEqualTo(before);
        assertThat(mirror.upstream().problem()).isEmpty();
        assertThat(counts.get(Counter.RETRIES_OTHER)).isEqualTo(2);
    }

    @Test
    @TransitionRow("Watching: an object does not fit before another mirror has ended")
    void content_beside_an_object_that_may_soon_fit_stays() {
        share();
        oneObject().complete(revision(120));

        assertThat(afterBackoff(next(this::watchingOn))).isEqualTo(opening);
        assertThat(snapshot().size()).isOne();
    }

    /** Takes the step that does not fit. It closes the stream. */
    private ReflectorState next(Supplier<ReflectorState> state) {
        ReflectorState next = step(state.get());
        assertThat(stream.closed).isTrue();
        return next;
    }

    /** How long a mirror without content waits until it looks its type up again. */
    private List<Duration> waitsOfFirstLists() {
        List<BackingOff> waits =
                List.of(resting(next(this::streaming)), resting(next(this::paging)));
        assertThat(waits).extracting(BackingOff::next).containsOnly(RESOLVING);
        return waits.stream().map(BackingOff::delay).toList();
    }

    private Resync oneObject() {
        Resync resync = limited.resync();
        resync.add(object("a/x", 101));
        return resync;
    }

    private ReflectorState streaming() {
        stream = new FakeStream(added("a/y", 125));
        return new Streaming(sync, stream, oneObject());
    }

    private ReflectorState paging() {
        stream = new FakeStream();
        api.listsPage(130, null, object("a/y", 125));
        ListRequest second = new ListRequest(pods, null, 500, null).next("t");
        return new Paging(sync, second, oneObject(), revision(130), 0, stream);
    }

    private ReflectorState watchingOn() {
        stream = new FakeStream(added("a/y", 125));
        return new Watching(pods, stream, now, true);
    }
}
