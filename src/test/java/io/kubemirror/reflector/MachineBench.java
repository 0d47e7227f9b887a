package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.kube.Failure;
import io.kubemirror.kube.ResourceCollection;
import io.kubemirror.kube.WatchFrame;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.DeclaredFields;
import io.kubemirror.model.Extent;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInfo;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** One state machine, a mirror and a server that answers as told, on a clock moved by hand. */
abstract class MachineBench {

    static final ResourceType PODS =
            new ResourceType("", "v1", "Pod", "pods", "pod", true, List.of("po"), List.of("all"));

    private final StateTable table = new StateTable();
    private final List<StateTable.Step> steps = new ArrayList<>();
    final FakeKubeApi api = new FakeKubeApi();
    final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    Window.standard(),
                    Runnable::run);
    final MirrorWriter writer = new MirrorWriter(mirror, () -> 0);
    final ReflectorCounts counts = new ReflectorCounts();
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    Duration slept = Duration.ZERO;
    Equipment equipment = equipment(Strategy.LIST_WATCH);
    Machine machine = new Machine(equipment);
    final ResourceCollection pods =
            new ResourceCollection(
                    PODS,
                    Selection.everything(),
                    settings(Strategy.LIST_WATCH).shape(PODS, DeclaredFields.NONE, Extent.WHOLE));

    @AfterEach
    void every_row_that_is_named_was_gone_through(TestInfo test) {
        Row row = test.getTestMethod().orElseThrow().getAnnotation(Row.class);
        for (String named : row == null ? new String[0] : row.value()) {
            assertThat(steps)
                    .as("steps as the row says: " + named)
                    .anyMatch(step -> table.says(named, step));
        }
    }

    State step(State state) {
        return step(machine, state);
    }

    State step(Machine chosen, State state) {
        try {
            State next = chosen.step(state);
            steps.add(new StateTable.Step(state, next));
            return next;
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    State run(State state, int steps) {
        State current = state;
        for (int i = 0; i < steps; i++) {
            current = step(current);
        }
        return current;
    }

    static State.Resting resting(State state) {
        assertThat(state).isInstanceOf(State.Resting.class);
        return (State.Resting) state;
    }

    State.Watching watching(WatchFrame... frames) {
        return new State.Watching(pods, new FakeKubeApi.Stream(frames), now, false);
    }

    void synchronised(long revision, KubeObject... objects) {
        var resync = writer.resync();
        List.of(objects).forEach(resync::add);
        resync.complete(revision(revision));
    }

    Machine machine(Strategy strategy) {
        equipment = equipment(strategy);
        return new Machine(equipment);
    }

    Machine machine(Surroundings surroundings) {
        equipment = new Equipment(api, writer, settings(Strategy.LIST_WATCH), surroundings, counts);
        return new Machine(equipment);
    }

    private Equipment equipment(Strategy strategy) {
        return new Equipment(api, writer, settings(strategy), surroundings(), counts);
    }

    Surroundings surroundings() {
        return new Surroundings(() -> now, new Random(42), this::sleep);
    }

    /** Surroundings in which the server is asked whether it accepts connections. */
    Surroundings probing(BooleanSupplier accepts) {
        Random random = new Random(42);
        return new Surroundings(
                () -> now,
                random,
                this::sleep,
                new Turns(1),
                new ConnectionProbe(accepts, () -> now, random, this::sleep));
    }

    private void sleep(Duration duration) {
        slept = slept.plus(duration);
        now = now.plus(duration);
    }

    static ReflectorSettings settings(Strategy strategy) {
        return new ReflectorSettings(strategy, 500, List.of(), List.of());
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
