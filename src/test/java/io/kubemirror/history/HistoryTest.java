package io.kubemirror.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import module java.base;

import io.kubemirror.testing.real.ServerBinaries;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs real processes among faults for {@code -Dhistory.seconds}, and judges all of their answers.
 * It prints its seed. Two minutes of it are part of {@code mvn -Pall verify}.
 */
@Timeout(value = 24, unit = TimeUnit.HOURS)
class HistoryTest {

    private static final long SECONDS = Long.getLong("history.seconds", 0);

    @TempDir private Path directory;

    @Test
    void all_answers_of_all_replicas_have_one_legal_order() throws Exception {
        assumeTrue(SECONDS > 0, "set -Dhistory.seconds");
        assumeTrue(ServerBinaries.find().isPresent(), "only executables are killed and stopped");
        assertThat(new HistoryRounds(directory).run(SECONDS).stream().limit(20))
                .extracting(Violation::brief)
                .isEmpty();
    }
}
