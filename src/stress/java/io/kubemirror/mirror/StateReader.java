package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.selection;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.mirror.UpstreamStatus.State;

/**
 * The state of a mirror changes, with a change of no interest in between, while a reader arms its
 * subscription and looks at the state.
 */
public class StateReader extends MirrorScenario {

    private final Mirror shown;
    private final MirrorWriter changing;
    private final Subscription subscription;
    private Cursor cursor;
    private State known = State.SYNCED;
    private boolean sleeps;

    StateReader() {
        this(mirror -> mirror);
    }

    /**
     * Creates a scenario.
     *
     * @param reader returns the mirror that is read: the one that changes, or one that shows it
     */
    @SuppressWarnings({"ReferenceEquality", "this-escape"})
    protected StateReader(UnaryOperator<Mirror> reader) {
        shown = reader.apply(mirror());
        changing = shown == mirror() ? writer() : synchronizedWriter(shown);
        report(Phase.WATCHING);
        runRounds();
        cursor = shown.view().cursor();
        subscription = shown.subscribe(selection("", "", "metadata.name=x"), () -> {});
        subscription.followState();
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::write, this::runRounds, this::read);
    }

    private void write() {
        report(Phase.BACKING_OFF);
        changing.upsert(object("a/other", 11));
        report(Phase.SYNCHRONIZING);
    }

    private void report(Phase phase) {
        writer().report(new UpstreamStatus(phase, Instant.MAX, Instant.MAX, ""));
    }

    /** As a watch does: arms first, then looks at the state. */
    private void read() {
        for (int i = 0; i < 2; i++) {
            sleeps = subscription.arm(cursor) && shown.upstream().state() == known;
            if (!sleeps) {
                readOn();
            }
        }
    }

    private void readOn() {
        cursor = ((Reading.Progress) shown.read(subscription.disarm(cursor))).next();
        known = shown.upstream().state();
    }

    @Override
    public void verify() {
        runRounds();
        if (sleeps && subscription.signaledAfter() == null) {
            assertThat(known).as("nobody sleeps on with an old state").isEqualTo(State.RESYNCING);
        }
        readOn();
        assertThat(known).isEqualTo(State.RESYNCING);
    }
}
