package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.model.Selection;

/**
 * A reader that the notifier has overtaken decides not to wait while the next round signals it: the
 * smallest case in which {@link Subscription} once skipped changes.
 */
final class OvertakenReader extends MirrorScenario {

    private final Cursor cursor = mirror().view().cursor();
    private final Subscription subscription = mirror().subscribe(Selection.everything(), () -> {});

    OvertakenReader() {
        writer().upsert(object("a/x", 11));
        runRounds();
        writer().upsert(object("a/x", 12));
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::runRounds, this::read);
    }

    private void read() {
        assertThat(subscription.arm(cursor)).isFalse();
        assertThat(subscription.disarm(cursor)).as("nothing is skipped").isEqualTo(cursor);
    }

    @Override
    public void verify() {
        assertThat(((Reading.Progress) mirror().read(cursor)).changes()).hasSize(2);
    }
}
