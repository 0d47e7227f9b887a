package io.kubemirror.feature.disk;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.SteadyClock;
import io.kubemirror.reflector.RestartHistory;
import io.kubemirror.testing.SilentLog;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that clients keep the guarantees of the design although the process is killed at random
 * points, and continues from what is on disk then. A failure prints its seed; {@code
 * -Drestart.history=17} runs that history only.
 */
@ExtendWith(SilentLog.class)
class RestartHistoryTest {

    private static final int KILLS = Integer.getInteger("restart.kills", 1_000);
    private static final Long ONLY = Long.getLong("restart.history");

    @TempDir Path directory;

    @Test
    void clients_keep_their_guarantees_when_the_process_is_killed_at_1_000_random_points()
            throws IOException, InterruptedException {
        if (ONLY != null) {
            new RestartHistory(RestartHistoryTest::open, directory, ONLY).run();
            return;
        }
        int kills = 0;
        int restored = 0;
        for (long seed = 0; kills < KILLS; seed++) {
            RestartHistory history = new RestartHistory(RestartHistoryTest::open, directory, seed);
            history.run();
            kills += history.kills();
            restored += history.restored();
        }
        assertThat(restored).as("of %d", kills).isGreaterThan(kills / 4);
    }

    private static RestartHistory.Storage open(
            Path directory, InstantSource clock, LongSupplier nanos) {
        MirrorPersistence persistence =
                new MirrorPersistence(
                        directory, Long.MAX_VALUE, "test", new SteadyClock(clock, clock), nanos);
        return new RestartHistory.Storage() {
            @Override
            public void restore(MirrorWriter writer) {
                persistence.restore(writer, List.of("simulated", "")).join();
            }

            @Override
            public void store() throws InterruptedException {
                persistence.store();
            }

            @Override
            public void leave() {
                persistence.leave();
            }

            @Override
            public void stop() {
                persistence.stop();
            }
        };
    }
}
