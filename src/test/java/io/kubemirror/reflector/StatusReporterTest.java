package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import module java.base;

import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorStatus.StateChange;
import io.kubemirror.source.Failure;
import io.kubemirror.testing.LogLines;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Tests the log, as text and as structured fields. */
class StatusReporterTest extends StateMachineHarness {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @AutoClose private final LogLines log = new LogLines(Reflector.class);

    @Test
    void retries_of_one_problem_are_one_state_change_and_the_last_twenty_are_kept() {
        StatusReporter reporter = machine.reporter;
        reporter.watching();
        for (int i = 0; i < 3; i++) {
            reporter.backingOff(Phase.BACKING_OFF, "nobody is there", SECOND);
            reporter.enter(Phase.SYNCHRONIZING);
        }
        reporter.watching();
        assertThat(changes(reporter))
                .extracting(StateChange::phase, StateChange::problem)
                .containsExactly(
                        tuple("watching", ""),
                        tuple("backing-off", "nobody is there"),
                        tuple("watching", ""));

        for (int i = 0; i < 50; i++) {
            reporter.backingOff(Phase.BACKING_OFF, i + "x".repeat(1_000), SECOND);
        }
        assertThat(changes(reporter)).hasSize(20);
        assertThat(changes(reporter).getLast().problem()).startsWith("49x").hasSize(400);
    }

    private static List<StateChange> changes(StatusReporter reporter) {
        return reporter.status(Strategy.AUTO).stateChanges();
    }

    @Test
    void short_list_logs_only_its_completion() {
        api.listsPage(110, null, object("a/x", 101));
        run(synchronizing, 3);

        assertThat(log.messages()).containsExactly("pods: synchronized by list in 0 ms: 1 objects at 110");
        assertThat(log.fields(0))
                .containsEntry("event.action", "synchronized")
                .containsEntry("kubemirror.resource", "pods");
    }

    @Test
    void problem_is_logged_when_it_starts_and_when_it_ends() {
        synced(120);
        for (int i = 0; i < 3; i++) {
            machine.failures.backOff(new Failure.Malformed("nonsense"), RESOLVING);
        }
        machine.reporter.watching();

        assertThat(log.messages()).hasSize(2);
        assertThat(log.messages().getFirst()).startsWith("pods: nonsense; next attempt in ");
        assertThat(log.messages().getLast()).isEqualTo("pods: watching again");
    }

    @Test
    void polling_of_an_unwatchable_collection_is_logged_once() {
        synced(120);
        StatusReporter reporter = machine.reporter;
        reporter.fetching();
        now = now.plus(SECOND);
        reporter.synced(TimedSpan.LIST);
        for (int i = 0; i < 3; i++) {
            reporter.backingOff(Phase.POLLING, "no watch", SECOND);
            reporter.enter(Phase.SYNCHRONIZING);
            reporter.synced(TimedSpan.LIST);
        }

        assertThat(log.messages())
                .containsExactly(
                        "pods: synchronized by list in 1000 ms: 0 objects at 120",
                        "pods: no watch; next attempt in 1000 ms");
    }

    @Test
    void expired_revision_is_logged_only_if_the_next_one_expires_too() {
        synced(120);
        Failure.Refused expired = new Failure.Refused(new Status(410, "Expired", "too old", null));
        machine.failures.watchExpired(expired, pods);
        assertThat(mirror.upstream().problem()).isEmpty();
        machine.reporter.synced(TimedSpan.LIST);
        machine.reporter.synced(TimedSpan.LIST);
        assertThat(log.messages()).hasSize(1);

        machine.failures.watchExpired(expired, pods);

        assertThat(log.messages()).hasSize(2);
        assertThat(mirror.upstream().problem()).isEqualTo(expired.summary());
    }
}
