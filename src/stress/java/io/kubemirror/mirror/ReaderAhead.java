package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.selection;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.model.Revision;

/**
 * A reader that is ahead of the mirror begins to wait while the mirror lists past its revision, and
 * nothing on the list concerns it: it does not skip what the mirror has missed.
 */
final class ReaderAhead extends MirrorScenario {

    private final Cursor ahead = new Cursor(new Revision("15"), mirror().view().cursor().era());
    private final Subscription subscription = mirror().subscribe(selection("b", "", ""), () -> {});

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::list, () -> subscription.arm(ahead));
    }

    private void list() {
        Resync list = writer().resync();
        list.add(object("a/x", 20));
        list.complete(new Revision("21"));
        runRounds();
    }

    @Override
    public void verify() {
        runRounds();
        assertThat(mirror().read(subscription.disarm(ahead))).isInstanceOf(Reading.Expired.class);
    }
}
