package io.kubemirror.app.health;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.health.SyncDeadlines.OnSyncTimeout;
import io.kubemirror.app.health.SyncDeadlines.SyncLimit;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.testing.MirrorSets;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class SyncDeadlinesTest {

    private static final Duration SHORT = Duration.ofMillis(1);

    private final PodMirror pods = new PodMirror("a");
    private final BlockingQueue<Integer> exits = new LinkedBlockingQueue<>();

    private SyncDeadlines started(Duration timeout, OnSyncTimeout then) {
        SyncDeadlines deadlines =
                new SyncDeadlines(
                        MirrorSets.of(pods.mirror()),
                        _ -> new SyncLimit(timeout, then),
                        exits::add);
        deadlines.start();
        return deadlines;
    }

    @Test
    void late_mirror_is_reported_until_it_has_content(CapturedOutput output) {
        pods.report(Phase.BACKING_OFF, Instant.EPOCH, "connection refused");
        SyncDeadlines deadlines = started(SHORT, OnSyncTimeout.REPORT);

        Awaitility.await().until(() -> deadlines.isLate(pods.mirror()));
        Awaitility.await()
                .until(
                        () ->
                                output.getAll()
                                        .contains(
                                                "pods/a: not synchronized 0 s after the start:"
                                                        + " connection refused"));
        assertThat(exits).isEmpty();

        pods.sync("5");
        assertThat(deadlines.isLate(pods.mirror())).isFalse();
    }

    /** A misspelled name must not pass for an empty collection. */
    @Test
    void type_that_the_server_does_not_have_is_late() {
        pods.report(Phase.ABSENT, Instant.EPOCH, "the server does not have this resource");
        SyncDeadlines deadlines = started(SHORT, OnSyncTimeout.REPORT);

        Awaitility.await().until(() -> deadlines.isLate(pods.mirror()));
    }

    @Test
    void late_mirror_ends_the_process_if_so_configured(CapturedOutput output) throws Exception {
        started(SHORT, OnSyncTimeout.EXIT);

        assertThat(exits.poll(1, TimeUnit.MINUTES)).isEqualTo(1);
        assertThat(output)
                .contains("pods/a: not synchronized 0 s after the start; the process ends");
    }

    @Test
    void mirror_that_synchronizes_in_time_is_not_late() {
        pods.sync("5");
        SyncDeadlines deadlines = started(Duration.ofHours(1), OnSyncTimeout.EXIT);
        assertThat(deadlines.isRunning()).isTrue();

        assertThat(deadlines.isLate(pods.mirror())).isFalse();
        deadlines.stop();
        assertThat(exits).isEmpty();
    }

    @Test
    void mirror_without_a_limit_may_take_any_time() {
        SyncDeadlines deadlines = started(Duration.ZERO, OnSyncTimeout.REPORT);

        assertThat(deadlines.isRunning()).isFalse();
    }
}
