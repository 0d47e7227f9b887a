package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import module java.base;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorStatus.StateChange;
import io.kubemirror.source.Failure;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests the log, as text and as structured fields. */
class StatusReporterTest extends StateMachineHarness {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(Reflector.class);

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.INFO);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(lines);
        logger.setLevel(null);
    }

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

        assertThat(told()).containsExactly("pods: synchronized by list in 0 ms: 1 objects at 110");
        assertThat(fields(0))
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

        assertThat(told()).hasSize(2);
        assertThat(told().getFirst()).startsWith("pods: nonsense; next attempt in ");
        assertThat(told().getLast()).isEqualTo("pods: watching again");
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

        assertThat(told())
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
        assertThat(told()).hasSize(1);

        machine.failures.watchExpired(expired, pods);

        assertThat(told()).hasSize(2);
        assertThat(mirror.upstream().problem()).isEqualTo(expired.summary());
    }

    private List<String> told() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private Map<String, Object> fields(int line) {
        return lines.list.get(line).getKeyValuePairs().stream()
                .collect(Collectors.toMap(pair -> pair.key, pair -> pair.value));
    }
}
