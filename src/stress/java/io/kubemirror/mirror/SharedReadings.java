package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.model.Revision;

/** Two clients read one view from two cursors: each gets what follows its own. */
final class SharedReadings extends MirrorScenario {

    private final Cursor early;
    private final Cursor late;

    SharedReadings() {
        early = mirror().view().cursor();
        writer().upsert(object("a/x", 11));
        late = mirror().view().cursor();
        writer().upsert(object("a/y", 12));
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(() -> read(early, late), () -> read(late, early));
    }

    private void read(Cursor one, Cursor other) {
        assertNext(one);
        assertNext(other);
    }

    private void assertNext(Cursor cursor) {
        assertThat(mirror().read(cursor))
                .isInstanceOfSatisfying(
                        Reading.Progress.class,
                        progress ->
                                assertThat(progress.changes().getFirst().change().revision())
                                        .isEqualTo(
                                                new Revision(cursor.equals(early) ? "11" : "12")));
    }

    @Override
    public void verify() {
        // The readers have checked what they got.
    }
}
