package io.kubemirror.mirror;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.interleaving.ExplorationBudget;
import io.kubemirror.interleaving.Interleavings;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Explores interleavings of the writer, the notifier, and the readers of a mirror. */
class MirrorInterleavingsTest {

    /** Shows that an exploration finds a known race. */
    @Test
    void explorer_finds_the_race_of_the_old_sleeper() {
        assertThatThrownBy(
                        () ->
                                Interleavings.explore(
                                        RacySubscription.class, ExplorationBudget.ofScenario()))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("interleaving ")
                .cause()
                .hasMessageContaining("it did not sleep, so it skips nothing");
    }

    @Test
    void exception_that_leaves_a_synchronized_method_hides_no_race() {
        assertThatThrownBy(
                        () ->
                                Interleavings.explore(
                                        RacyAfterException.class, ExplorationBudget.ofScenario()))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("interleaving ");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                OvertakenReader.class,
                UnfilteredReader.class,
                FilteredReader.class,
                ExcludingReader.class,
                ChangeDuringRound.class,
                ReaderAhead.class,
                StateReader.class,
                LappedReader.class,
                ConcurrentIndexUsage.class,
                SharedIndexes.class,
                ChangedFields.class,
                SharedFrames.class,
                PinnedState.class,
                ReplacedCopy.class
            })
    void every_interleaving_keeps_the_promise(Class<? extends ConcurrentScenario> scenario)
            throws Exception {
        Interleavings.explore(scenario);
    }
}
