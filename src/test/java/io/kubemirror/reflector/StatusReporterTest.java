package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import module java.base;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorStatus.StateChange;
import io.kubemirror.source.Failure;
import io.kubemirror.source.StoredFields;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.ReflectorEnvironments;
import io.kubemirror.testing.scripted.ServedTypes;

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

    @Test
    void paths_that_no_object_has_are_logged_once() {
        ReflectorSettings settings =
                ReflectorEnvironments.settings(
                        Strategy.LIST_WATCH,
                        500,
                        new StoredFields(
                                List.of(
                                        FieldPath.parse("metadata.label"),
                                        FieldPath.parse("metadata.labels")),
                                List.of()),
                        List.of(SelectableField.at("spec.nodeNam"), SelectableField.at("spec.x")),
                        ReflectorEnvironments.timeouts());
        machine = stateMachine(settings);
        api.listsPage(110, null, selectable("a/x", 101)).streams(bookmark(111));
        run(synchronizing, 3);
        machine.reporter.synced(TimedSpan.LIST);

        assertThat(told().subList(1, told().size()))
                .containsExactly(
                        "pods: keep-fields: metadata.label matches none of the first objects;"
                                + " correct it in kubemirror.resources if it is misspelt",
                        "pods: index-fields: spec.nodeNam matches none of the first objects;"
                                + " correct it in kubemirror.resources if it is misspelt");
    }

    private static KubeObject selectable(String path, long revision) {
        return object(path, revision).with(Map.of(), Map.of("spec.nodeNam", "", "spec.x", "1"));
    }

    @Test
    void namespace_that_does_not_exist_is_logged_once() {
        machine = inNamespace("shp");
        api.discovers(ServedTypes.NAMESPACES);
        api.listsPage(110, null).listsPage(110, null).streams(bookmark(111));
        run(synchronizing, 3);

        assertThat(api.lists.getLast().collection().selection().fields().text())
                .isEqualTo("metadata.name=shp");
        assertThat(told().getLast())
                .isEqualTo(
                        "pods/shp: the namespace does not exist; create it, or correct namespaces"
                                + " in kubemirror.resources");
    }

    @Test
    void namespace_that_exists_or_cannot_be_read_is_not_logged() {
        for (int i = 0; i < 2; i++) {
            lines.list.clear();
            machine = inNamespace("shop");
            api.discovers(ServedTypes.NAMESPACES);
            api.listsPage(110, null);
            if (i == 0) {
                api.listsPage(110, null, object("shop", 3));
            } else {
                api.lists(refused(403, "Forbidden"));
            }
            api.streams(bookmark(111));
            run(synchronizing, 3);

            assertThat(told()).hasSize(1);
        }
    }

    private StateMachine inNamespace(String name) {
        Mirror other =
                Mirrors.of(
                        new Scope(new ResourceName("pods"), selection(name, "", "")),
                        Mirrors.window());
        return new StateMachine(
                api,
                Mirrors.writer(other, () -> 0),
                settings(Strategy.LIST_WATCH),
                reflectorEnvironment(),
                counts);
    }

    private List<String> told() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private Map<String, Object> fields(int line) {
        return lines.list.get(line).getKeyValuePairs().stream()
                .collect(Collectors.toMap(pair -> pair.key, pair -> pair.value));
    }
}
