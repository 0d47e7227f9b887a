package io.kubemirror.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ScriptedAccess;
import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.api.watch.Watches;
import io.kubemirror.testing.WaitLimit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The loop of the rechecks never ends before the process. */
@Timeout(60)
class PermissionRecheckerTest {

    private final Semaphore asked = new Semaphore(0);
    private final Semaphore slept = new Semaphore(0);

    @Test
    void exception_before_each_recheck_does_not_end_the_loop() throws Exception {
        survives(
                () -> {
                    asked.release();
                    throw new IllegalStateException("a defect");
                });
    }

    @Test
    void exception_of_each_recheck_does_not_end_the_loop() throws Exception {
        AccessControl access = new ScriptedAccess();
        AtomicBoolean rechecks = new AtomicBoolean(true);

        survives(
                () -> {
                    asked.release();
                    if (rechecks.getAndSet(!rechecks.get())) {
                        return access;
                    }
                    throw new IllegalStateException("a defect");
                });
    }

    @Test
    void watch_that_cannot_be_ended_does_not_keep_others_open() throws Exception {
        WatchRegistry registry = new WatchRegistry(() -> 0);
        WatchConnection first = Watches.addDefective(registry);
        WatchConnection second = Watches.addDefective(registry);

        AccessControl access = new ScriptedAccess();
        new PermissionRechecker(() -> access, registry, _ -> {}).recheck();

        assertThat(List.of(first, second)).allMatch(WatchConnection::isEndRequested);
    }

    /** Each turn asks once to recheck, and once how long to wait. */
    private void survives(Supplier<AccessControl> present) throws InterruptedException {
        PermissionRechecker rechecker =
                new PermissionRechecker(present, new WatchRegistry(() -> 0), _ -> slept.acquire());
        rechecker.start();
        try {
            for (int turn = 0; turn < 3; turn++) {
                slept.release();
                assertThat(asked.tryAcquire(2, WaitLimit.GENEROUS.toSeconds(), TimeUnit.SECONDS))
                        .as("turn %s", turn)
                        .isTrue();
            }
        } finally {
            rechecker.stop();
        }
    }
}
