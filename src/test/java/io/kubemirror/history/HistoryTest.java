package io.kubemirror.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.kubemirror.testing.real.ServerBinaries;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Runs real processes among faults for {@code -Dhistory.seconds}, and judges all of their answers.
 * It is no part of the other tests as long as it finds a defect that is known: a deletion that is
 * lost when a stream goes on at another replica.
 */
@Timeout(value = 24, unit = TimeUnit.HOURS)
class HistoryTest {

    private static final long SECONDS = Long.getLong("history.seconds", 0);

    @TempDir private Path directory;

    @Test
    void all_answers_of_all_replicas_have_one_legal_order() throws Exception {
        assumeThat(SECONDS).as("seconds to run").isPositive();
        assumeThat(ServerBinaries.find()).as("the programs of an API server").isPresent();
        assertThat(new HistoryRounds(directory).run(SECONDS).stream().limit(20))
                .extracting(Violation::brief)
                .isEmpty();
    }
}
