package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.SilentLog;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.EnumSet;
import java.util.Set;

/**
 * Tests the guarantees of the design ({@code src/docs/design.md}, "What tests must show") on seeded
 * random histories from a faulty server to local clients.
 *
 * <p>A failure prints its seed and its last steps. {@code -Dhistory=17} runs that history only,
 * {@code -Dhistories=50000} sets the number of histories for each strategy.
 */
@ExtendWith(SilentLog.class)
class ReflectorHistoryTest {

    private static final int HISTORIES = Integer.getInteger("histories", 700);
    private static final Long ONLY = Long.getLong("history");

    @ParameterizedTest
    @EnumSource(Strategy.class)
    void mirror_keeps_its_guarantees_in_random_histories_with_faults(Strategy strategy)
            throws InterruptedException {
        if (ONLY != null) {
            new ReflectorHistory(strategy, ONLY).run();
            return;
        }
        for (long seed = 0; seed < HISTORIES; seed++) {
            new ReflectorHistory(strategy, seed).run();
        }
    }

    /** A failure must be reproducible. */
    @Test
    void same_seed_reproduces_the_same_history() throws InterruptedException {
        for (long seed = 0; seed < 20; seed++) {
            assertThat(transcript(seed)).isNotEmpty().isEqualTo(transcript(seed));
        }
    }

    private static String transcript(long seed) throws InterruptedException {
        ReflectorHistory history = new ReflectorHistory(Strategy.AUTO, seed);
        history.run();
        return history.transcript();
    }

    /** Histories in which nothing goes wrong would prove nothing. */
    @Test
    void random_histories_exercise_every_counter() throws InterruptedException {
        // These servers lose no event and need no network, and this reflector drops no fields, has
        // no defect, and has room for every object, so these are counted in tests of their own.
        Set<Counter> missing =
                EnumSet.complementOf(
                        EnumSet.of(
                                Counter.AUDITS_DIFFERENT,
                                Counter.AUDIT_REPAIRS,
                                Counter.EVENTS_HIDDEN,
                                Counter.BYTES_RECEIVED,
                                Counter.RETRIES_DEFECT,
                                Counter.RETRIES_OVER_BUDGET));
        for (long seed = 0; seed < 100; seed++) {
            ReflectorHistory history = new ReflectorHistory(Strategy.AUTO, seed);
            history.run();
            missing.removeIf(counter -> history.counts().get(counter) > 0);
        }
        assertThat(missing).isEmpty();
    }
}
