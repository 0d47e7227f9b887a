package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.model.Selection;

/** A writer publishes, the notifier runs its rounds, and a reader reads, waits, and is signaled. */
abstract class WaitingReaderScenario extends MirrorScenario {

    private static final int LAST = 13;

    private final List<String> seen = new ArrayList<>();
    private final Subscription subscription;
    private Cursor cursor = mirror().view().cursor();
    private boolean sleeps;

    WaitingReaderScenario(Selection selection) {
        subscription = mirror().subscribe(selection, () -> {});
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::write, this::runRounds, this::read);
    }

    private void write() {
        for (int revision = 11; revision <= LAST; revision++) {
            writer().upsert(object(revision % 2 == 0 ? "a/other" : "a/x", revision));
        }
    }

    private void read() {
        for (int i = 0; i < 3; i++) {
            sleeps = subscription.arm(cursor);
            if (!sleeps) {
                readOn();
            }
        }
    }

    private void readOn() {
        switch (mirror().read(subscription.disarm(cursor))) {
            case Reading.Progress(List<LoggedChange> changes, Cursor next) -> {
                changes.forEach(change -> seen.add(change.change().revision().digits()));
                cursor = next;
            }
            case Reading other -> throw new AssertionError(other.toString());
        }
    }

    @Override
    public void verify() {
        runRounds();
        if (sleeps && subscription.signaledAfter() == null) {
            assertThat(cursor.revision().digits())
                    .as("nobody sleeps on while there is something of interest")
                    .isEqualTo(Integer.toString(LAST));
        }
        readOn();
        assertThat(seen).containsSubsequence("11", "13").doesNotHaveDuplicates();
    }
}
