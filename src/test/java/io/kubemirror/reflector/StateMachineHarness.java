package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ObjectTransform;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.testing.ReflectorEnvironments;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInfo;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** A state machine with a mirror and a scripted server, on a clock that the test moves. */
abstract class StateMachineHarness {

    static final ResourceType PODS =
            new ResourceType("", "v1", "Pod", "pods", "pod", true, List.of("po"), List.of("all"));

    private final StateTable table = new StateTable();
    private final List<StateTable.Transition> steps = new ArrayList<>();
    final FakeSource api = new FakeSource();
    final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    Window.standard(),
                    Runnable::run,
                    System::nanoTime);
    final MirrorWriter writer = new MirrorWriter(mirror, () -> 0);
    final ReflectorCounts counts = new ReflectorCounts();
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    Duration slept = Duration.ZERO;
    StateMachine machine = stateMachine(Strategy.LIST_WATCH);
    final ResourceCollection pods =
            new ResourceCollection(
                    PODS,
                    Selection.everything(),
                    settings(Strategy.LIST_WATCH).shape(PODS, DeclaredFields.NONE, Extent.WHOLE));

    @AfterEach
    void every_named_transition_row_was_exercised(TestInfo test) {
        TransitionRow row = test.getTestMethod().orElseThrow().getAnnotation(TransitionRow.class);
        for (String named : row == null ? new String[0] : row.value()) {
            assertThat(steps)
                    .as("steps as the row says: " + named)
                    .anyMatch(step -> table.says(named, step));
        }
    }

    ReflectorState step(ReflectorState state) {
        return step(machine, state);
    }

    ReflectorState step(StateMachine chosen, ReflectorState state) {
        try {
            ReflectorState next = chosen.step(state);
            StateTable.Transition transition = new StateTable.Transition(state, next);
            assertThat(table.lists(transition)).as("listed: " + transition).isTrue();
            steps.add(transition);
            return next;
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    ReflectorState run(ReflectorState state, int steps) {
        ReflectorState current = state;
        for (int i = 0; i < steps; i++) {
            current = step(current);
        }
        return current;
    }

    static ReflectorState.BackingOff resting(ReflectorState state) {
        assertThat(state).isInstanceOf(ReflectorState.BackingOff.class);
        return (ReflectorState.BackingOff) state;
    }

    ReflectorState.Watching watching(WatchFrame... frames) {
        return new ReflectorState.Watching(pods, new FakeSource.FakeStream(frames), now, false);
    }

    void synced(long revision, KubeObject... objects) {
        var resync = writer.resync();
        List.of(objects).forEach(resync::add);
        resync.complete(revision(revision));
    }

    StateMachine stateMachine(Strategy strategy) {
        return new StateMachine(api, writer, settings(strategy), reflectorEnvironment(), counts);
    }

    StateMachine stateMachine(ReflectorEnvironment environment) {
        return new StateMachine(api, writer, settings(Strategy.LIST_WATCH), environment, counts);
    }

    ReflectorEnvironment reflectorEnvironment() {
        return ReflectorEnvironments.alone(() -> now, new Random(42), this::sleep);
    }

    /** Surroundings in which the server is asked whether it accepts connections. */
    ReflectorEnvironment probing(BooleanSupplier accepts) {
        Random random = new Random(42);
        return ReflectorEnvironments.sharing(
                () -> now,
                random,
                this::sleep,
                new ListLimiter(1),
                new ConnectionProbe(accepts, () -> now, random, this::sleep));
    }

    private void sleep(Duration duration) {
        slept = slept.plus(duration);
        now = now.plus(duration);
    }

    static ReflectorSettings settings(Strategy strategy) {
        return ReflectorEnvironments.settings(
                strategy, 500, ObjectTransform.NONE, List.of(), ReflectorEnvironments.timeouts());
    }

    static Failure.Refused refused(int code, String reason) {
        return new Failure.Refused(status(code, reason));
    }

    static Failure.Refused tooLarge() {
        return new Failure.Refused(
                new Status(504, "Timeout", "Too large resource version: 120, current: 118", null));
    }

    static Status status(int code, String reason) {
        return new Status(code, reason, "as scripted", null);
    }

    static Revision revision(long number) {
        return new Revision(Long.toString(number));
    }
}
