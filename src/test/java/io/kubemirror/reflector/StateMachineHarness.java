package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.FakeSource.FakeStream;
import io.kubemirror.reflector.ReflectorSettings.ReflectorTimeouts;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorState.BackingOff;
import io.kubemirror.reflector.ReflectorState.FetchMethod;
import io.kubemirror.reflector.ReflectorState.Opening;
import io.kubemirror.reflector.ReflectorState.Resolving;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.reflector.ReflectorState.Synchronizing;
import io.kubemirror.reflector.ReflectorState.Watching;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.StoredFields;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.ReflectorEnvironments;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInfo;

/** A state machine with a mirror and a scripted server, on a clock that the test moves. */
abstract class StateMachineHarness {

    static final ResourceType PODS = ServedTypes.PODS;

    static final Resolving RESOLVING = new Resolving();
    static final Failure.Unreachable CONNECTION_REFUSED =
            new Failure.Unreachable("connection refused", Failure.Unreachable.Kind.REFUSED);
    static final Failure.Unreachable CONNECTION_RESET =
            new Failure.Unreachable("reset", Failure.Unreachable.Kind.BROKEN);
    static final WatchFrame CUT = new WatchFrame.Broken("cut", BrokenKind.CUT);
    static final WatchFrame ENDED = new WatchFrame.Ended();

    final StateTable table = new StateTable();
    private final List<StateTable.Transition> steps = new ArrayList<>();
    final FakeSource api = new FakeSource();
    final Mirror mirror = Mirrors.pods();
    final MirrorWriter writer = Mirrors.writer(mirror, () -> 0);
    final ReflectorCounts counts = new ReflectorCounts();
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    Duration slept = Duration.ZERO;
    StateMachine machine = stateMachine(Strategy.LIST_WATCH);
    final ResourceCollection pods =
            new ResourceCollection(
                    PODS,
                    Selection.everything(),
                    settings(Strategy.LIST_WATCH).shape(PODS, DeclaredFields.NONE, Extent.WHOLE));

    final Opening opening = new Opening(pods);

    /** The beginning of a synchronization, by whatever method. */
    final Synchronizing synchronizing = new Synchronizing(pods, SyncStart.MOST_RECENT);

    /** The beginning of a list of pages. */
    final Synchronizing listing = new Synchronizing(pods, SyncStart.MOST_RECENT, FetchMethod.PAGES);

    /** The beginning of a synchronization that asks for the revision of the mirror. */
    final Synchronizing resynchronizing = new Synchronizing(pods, SyncStart.CACHED);

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
        ReflectorState next = Unchecked.call(() -> chosen.step(state));
        StateTable.Transition transition = new StateTable.Transition(state, next);
        assertThat(table.lists(transition)).as("listed: " + transition).isTrue();
        steps.add(transition);
        return next;
    }

    ReflectorState run(ReflectorState state, int steps) {
        ReflectorState current = state;
        for (int i = 0; i < steps; i++) {
            current = step(current);
        }
        return current;
    }

    static BackingOff resting(ReflectorState state) {
        assertThat(state).isInstanceOf(BackingOff.class);
        return (BackingOff) state;
    }

    static ReflectorState afterBackoff(ReflectorState state) {
        return resting(state).next();
    }

    Snapshot snapshot() {
        return mirror.snapshot().orElseThrow();
    }

    Watching watching(WatchFrame... frames) {
        return new Watching(pods, new FakeStream(frames), now, false);
    }

    void synced(long revision, KubeObject... objects) {
        Mirrors.list(writer, revision, objects);
    }

    StateMachine stateMachine(Strategy strategy) {
        return stateMachine(settings(strategy));
    }

    StateMachine stateMachine(ReflectorSettings settings) {
        return new StateMachine(api, writer, settings, reflectorEnvironment(), counts);
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
                new Semaphore(1, /* fair= */ true),
                new ConnectionProbe(accepts, () -> now, random, this::sleep));
    }

    private void sleep(Duration duration) {
        slept = slept.plus(duration);
        now = now.plus(duration);
    }

    static ReflectorSettings settings(Strategy strategy) {
        return settings(strategy, ReflectorEnvironments.timeouts());
    }

    static ReflectorSettings settings(Strategy strategy, ReflectorTimeouts timeouts) {
        return ReflectorEnvironments.settings(strategy, 500, StoredFields.ALL, List.of(), timeouts);
    }

    static WatchFrame added(String path, long revision) {
        return new WatchFrame.Added(object(path, revision), null, null);
    }

    static WatchFrame modified(String path, long revision) {
        return new WatchFrame.Modified(object(path, revision), null);
    }

    static WatchFrame deleted(String path, long revision) {
        return new WatchFrame.Deleted(object(path, revision));
    }

    static WatchFrame bookmark(long revision) {
        return new WatchFrame.Bookmark(revision(revision), false);
    }

    static WatchFrame initialEventsEnd(long revision) {
        return new WatchFrame.Bookmark(revision(revision), true);
    }

    static WatchFrame failed(int code, String reason) {
        return new WatchFrame.Failed(status(code, reason));
    }

    static Failure.Refused refused(int code, String reason) {
        return new Failure.Refused(status(code, reason));
    }

    static Status status(int code, String reason) {
        return new Status(code, reason, "as scripted", null);
    }
}
