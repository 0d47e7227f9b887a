package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import module java.base;

import io.kubemirror.mirror.MirrorMemory.OverBudgetException.Excess;
import io.kubemirror.mirror.MirrorMemory.OverBudgetException.Limit;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorStatus.StateChange;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.Failure.Unreachable.Kind;
import io.kubemirror.testing.LogLines;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

        assertThat(log.messages())
                .containsExactly("pods: synchronized by list in 0 ms: 1 objects at 110");
        assertThat(log.fields(0))
                .containsEntry("event.action", "synchronized")
                .containsEntry("kubemirror.resource", "pods");
        assertThat(machine.reporter.status(Strategy.AUTO).synchronization().orElseThrow().how())
                .isEqualTo("list");
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

    private static final String SERVER = "kubemirror.upstream.server";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    400 | correct the selectors in kubemirror.resources
                    401 | check the credentials that kubemirror.upstream.server refers to
                    403 | list and watch on the resource, or mirror only namespaces where it has them
                    404 | check the path of the URL that kubemirror.upstream.server refers to
                    """)
    void refusal_has_a_remedy(int code, String remedy) {
        assertThat(FailureMessages.failed(Failure.Refused.of(code, "no"), SERVER))
                .startsWith("HTTP " + code)
                .contains(": no; ", remedy);
    }

    @Test
    void certificate_that_is_not_trusted_has_the_place_of_the_ca() {
        assertThat(FailureMessages.failed(new Unreachable("TLS failed", Kind.UNTRUSTED), SERVER))
                .startsWith("TLS failed; check the certificates that " + SERVER)
                .contains("certificate-authority", "kubemirror.upstream.kubeconfig")
                .doesNotContain("running");
    }

    @Test
    void small_limit_is_written_in_bytes() {
        assertThat(FailureMessages.tooLarge(new Excess(Limit.BYTES, 1_024, 0, 2_700, false)))
                .startsWith("1 objects need 2,700 bytes so far, but max-bytes allows 1,024 bytes");
    }
}
