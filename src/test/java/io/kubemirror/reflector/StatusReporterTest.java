package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import module java.base;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorStatus.StateChange;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.testing.Mirrors;

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
        return reporter.status(Strategy.AUTO, List.of()).stateChanges();
    }

    @Test
    void long_list_logs_progress_and_estimate_every_five_seconds() {
        StatusReporter reporter = machine.reporter;
        reporter.fetching();
        reporter.expecting(2_000L);
        for (int i = 1; i <= 1_100; i++) {
            now = now.plusMillis(10);
            reporter.fetched(object("a/x" + i, i));
        }

        assertThat(told())
                .containsExactly(
                        "pods: 500 objects so far, 0.0 MB in 5 s, 100/s; about 1,500 remaining, 15"
                                + " s",
                        "pods: 1,000 objects so far, 0.1 MB in 10 s, 100/s; about 1,000 remaining,"
                                + " 10 s");
        assertThat(fields(0))
                .containsEntry("event.action", "progress")
                .containsEntry("kubemirror.resource", "pods")
                .containsEntry("kubemirror.objects", 500L)
                .containsEntry("kubemirror.rate", 100L)
                .containsEntry("kubemirror.remaining", 1_500L);
    }

    @Test
    void progress_without_an_expected_count_omits_the_estimate() {
        StatusReporter reporter = machine.reporter;
        reporter.fetching();
        reporter.expecting(null);
        now = now.plusSeconds(6);
        reporter.fetched(object("a/x", 1));

        assertThat(told()).singleElement().asString().endsWith(" in 6 s, 0/s");
    }

    @Test
    void paged_lists_and_watch_lists_both_log_progress() {
        KubeObject late = object("a/y", 102);
        api.lists(Result.of(new ListMeta(revision(110), "t", 3L)), object("a/x", 101))
                .beforeList(() -> now = now.plusSeconds(6))
                .listsPage(110, null, late);
        run(synchronizing, 4);
        assertThat(told()).hasSize(3);
        assertThat(told().get(0)).endsWith("1 objects so far, 0.0 MB in 6 s, 0/s");
        assertThat(told().get(1)).endsWith("in 12 s, 0/s; about 2 remaining, 12 s");

        lines.list.clear();
        now = now.plusSeconds(60);
        machine = stateMachine(Strategy.WATCH_LIST);
        api.streams(new WatchFrame.Added(late, null));
        ReflectorState streaming = step(synchronizing);
        now = now.plusSeconds(7);
        step(streaming);
        assertThat(told()).singleElement().asString().contains("1 objects so far");
    }

    @Test
    void short_list_logs_only_its_completion() {
        api.listsPage(110, null, object("a/x", 101));
        run(synchronizing, 3);

        assertThat(told()).containsExactly("pods: synchronized by list in 0 ms: 1 objects at 110");
        assertThat(fields(0))
                .containsEntry("event.action", "synchronized")
                .containsEntry("event.duration", 0L)
                .containsEntry("kubemirror.objects", 1)
                .containsEntry("kubemirror.revision", "110");
    }

    @Test
    void problem_is_logged_when_it_starts_and_when_it_ends() {
        synced(120);
        for (int i = 0; i < 3; i++) {
            machine.failures.backOff(new Failure.Malformed("nonsense"), null, RESOLVING);
        }
        machine.reporter.watching();

        assertThat(told()).hasSize(2);
        assertThat(told().getFirst()).startsWith("pods: nonsense; next attempt in ");
        assertThat(fields(0))
                .containsEntry("event.action", "retrying")
                .containsEntry("kubemirror.phase", "backing-off")
                .containsEntry("kubemirror.problem", "nonsense");
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
    void problem_of_several_mirrors_is_logged_once_and_so_is_its_end() {
        List<StatusReporter> reporters = reporters();
        reporters.forEach(one -> one.backingOff(Phase.BACKING_OFF, "connection refused", SECOND));
        reporters.forEach(one -> one.backingOff(Phase.BACKING_OFF, "connection refused", SECOND));
        reporters.getFirst().stopped();
        reporters.stream().skip(1).forEach(StatusReporter::watching);

        assertThat(told())
                .containsExactly(
                        "pods: connection refused; next attempt in 1000 ms",
                        "pods: watching again");
    }

    @Test
    void missing_type_is_logged_for_each_mirror() {
        reporters().forEach(one -> one.backingOff(Phase.ABSENT, "no such type", SECOND));

        assertThat(told()).hasSize(3);
    }

    /** Mirrors of one process. */
    private List<StatusReporter> reporters() {
        ReflectorEnvironment shared = reflectorEnvironment();
        return Stream.generate(() -> Mirrors.writer(Mirrors.pods(), () -> 0))
                .limit(3)
                .map(each -> new StatusReporter(each, shared, counts))
                .toList();
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
