package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.selection;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;

/** A reader never continues past changes that it has not seen, even if signals are wrong. */
class WatchGapTest {

    private static final Selection X = selection("", "", "metadata.name=x");
    private static final Selection EVERYTHING = Selection.everything();

    /** Rounds of the notifier that have not been run. */
    private final Queue<Runnable> rounds = new ArrayDeque<>();

    private final Mirror mirror =
            Mirrors.pods(new Window(4, 4, Duration.ZERO, 1 << 20), rounds::add);

    private final MirrorWriter writer = Mirrors.writer(mirror, () -> 0);

    WatchGapTest() {
        writer.resync().complete(new Revision("10"));
        runRounds();
    }

    @Test
    void reader_with_an_overwritten_cursor_gets_a_gap() {
        Cursor sent = cursor();
        writer.upsert(object("a/x", 11));
        writer.upsert(object("a/x", 12));
        Cursor overwritten = new Cursor(new Revision("11"), sent.era(), sent.position());

        assertThat(mirror.read(sent)).isInstanceOf(Reading.Progress.class);
        assertThat(mirror.read(overwritten))
                .isEqualTo(new Reading.Gap(sent.position(), sent.position() + 1));
    }

    @Test
    void reader_that_would_see_a_change_twice_gets_a_gap() {
        Cursor before = cursor();
        writer.upsert(object("a/x", 11));
        Cursor twice = new Cursor(before.revision(), before.era(), cursor().position());

        assertThat(mirror.read(twice))
                .isEqualTo(new Reading.Gap(before.position() + 1, before.position()));
    }

    @Test
    void filtered_reader_gets_a_gap_if_it_would_skip_unexamined_changes() {
        Cursor sent = cursor();
        try (Subscription subscription = mirror.subscribe(X, () -> {})) {
            assertThat(subscription.arm(sent)).isTrue();
            writer.upsert(object("a/x", 11));
            subscription.signal(cursor());

            assertThat(mirror.read(subscription.disarm(sent))).isInstanceOf(Reading.Gap.class);
        }
    }

    @Test
    void filtered_reader_gets_a_gap_if_it_armed_at_a_later_position() {
        Cursor sent = cursor();
        writer.upsert(object("a/x", 11));
        runRounds();
        Cursor later = cursor();
        try (Subscription subscription = mirror.subscribe(X, () -> {})) {
            assertThat(subscription.arm(later)).isTrue();
            writer.upsert(object("a/other", 12));
            runRounds();

            assertThat(mirror.read(subscription.disarm(sent))).isInstanceOf(Reading.Gap.class);
        }
    }

    @Test
    void unfiltered_reader_gets_a_gap_if_it_would_skip_any_change() {
        Cursor sent = cursor();
        try (Subscription subscription = mirror.subscribe(EVERYTHING, () -> {})) {
            assertThat(subscription.arm(sent)).isTrue();
            writer.upsert(object("a/x", 11));
            subscription.signal(cursor());
            runRounds();

            assertThat(mirror.read(subscription.disarm(sent))).isInstanceOf(Reading.Gap.class);
        }
    }

    private Cursor cursor() {
        return mirror.view().cursor();
    }

    private void runRounds() {
        while (!rounds.isEmpty()) {
            rounds.remove().run();
        }
    }
}
