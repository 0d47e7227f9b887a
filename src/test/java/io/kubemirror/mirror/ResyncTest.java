package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.model.KubeObject;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResyncTest extends MirrorHarness {

    ResyncTest() {
        super(16);
    }

    /**
     * What a list does to the mirror and its clients, by the steps of {@link MirrorHarness#run}.
     */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    # A missed deletion and a missed update: two events at two revisions (list-watch.md#re-6).
                    a gap is bridged with changes at distinct revisions | list 120 a/p@100 a/q@105 a/r@110; at 120 w; list 130 a/p@100 a/q@125 -> BRIDGED; sees w -> Deleted a/r at 121, Modified a/q at 125, until 130; mirror now -> 120 to 130 has a/p@100 a/q@125
                    deletions of replaced objects get the lowest free revisions | list 120 a/m@90 a/r:u@100 a/s:u@110; at 120 w; list 130 a/s:v@122 a/r:v@124; sees w -> Deleted a/s at 121, Added a/s at 122, Deleted a/r at 123, Added a/r at 124, Deleted a/m at 125, until 130
                    synthesized deletions never share a revision with another change | list 120 a/p@1 a/q@2 a/r@3 a/s@4; at 120 w; list 126 a/t@122 a/u@123; sees w -> Deleted a/p at 121, Added a/t at 122, Added a/u at 123, Deleted a/q at 124, Deleted a/r at 125, Deleted a/s at 126, until 126
                    an unchanged collection advances readers | list 120 a/p@100; at 120 w; list 130 a/p@100; sees w -> until 130
                    an older revision ends open reads | list 120 a/p@100 a/q@110; at 120 w; list 118 a/p@100 -> BROKEN; sees w -> Ended; mirror now -> 118 to 118 has a/p@100
                    a revision of the lost history is too old | list 120 a/p@100; list 118 a/p@100; start 120 -> from 118; start 119 -> from 118; start 118 -> yes; bookmark 125; start 125 -> yes; start 500 -> yes
                    a revision from before the type was absent is too old | list 120 a/p@100; forget all; list 118 a/p@100; start 120 -> from 118
                    an object that changed without a newer revision breaks the history | list 120 a/p@100; list 130 a/p@105 -> BROKEN
                    deletions without a free revision share the old one | list 120 a/p@100 a/q@101; at 120 w; list 121 a/r@121 -> BRIDGED; sees w -> Deleted a/p at 120, Deleted a/q at 120, Added a/r at 121, until 121
                    a gap larger than half the window breaks the history | list 120; list 200 a/0@121 a/1@122 a/2@123 a/3@124 a/4@125 a/5@126 a/6@127 a/7@128 a/8@129 -> BROKEN
                    # It may know what was created and deleted while the mirror missed both (list-watch.md#re-14).
                    a client resumes at either end of a bridge and not between | list 120 a/p@100; list 130 a/p@125; start 121 -> from 130; start 125 -> from 130; start 129 -> from 130; at 120 w; sees w -> Modified a/p at 125, until 130; at 130 v; sees v -> until 130
                    # The mirror lists to catch up with a client that is ahead of it.
                    a bridge that passes a client ends its watch | list 120 a/p@100; at 125 w; list 130; sees w -> expired before 130
                    there is no state between the ends of a bridge | list 120 a/p@100; list 130 a/p@125; state 125 -> none; state 120 -> a/p@100 at 120; state 130 -> a/p@125 at 130
                    """)
    void list_leads_to(String what, String steps) {
        run(steps);
    }

    @Test
    void relist_after_data_loss_replaces_content_at_a_reused_revision() {
        list(120, object("a/p", "u", 117, Map.of("app", "lost")));
        KubeObject rewritten = object("a/p", "u", 117, Map.of("app", "new"));

        Resync resync = writer.resync();
        resync.add(rewritten);
        resync.complete(revision(118));

        assertThat(snapshot().objects()).containsExactly(rewritten);
    }

    /** The definition of a custom resource has another default (list-watch.md#re-15). */
    @Test
    void content_that_differs_at_the_same_revision_begins_a_new_history() {
        list(120, object("a/p", "u", 117, Map.of("size", "none")), object("a/q", 118));
        long era = mirror.view().era();
        KubeObject defaulted = object("a/p", "u", 117, Map.of("size", "7"));

        assertThat(list(125, defaulted, object("a/q", 124))).isEqualTo(Resync.Completion.BROKEN);

        assertThat(snapshot().objects()).contains(defaulted).hasSize(2);
        assertThat(mirror.view().era()).isNotEqualTo(era);
        assertThat(mirror.start(revision(124))).isEqualTo(new StartPosition.TooOld(revision(125)));
    }

    @Test
    void gap_that_exceeds_the_byte_budget_breaks_the_history() {
        Mirror small = Mirrors.pods(new Window(4, 1000, Duration.ofSeconds(75), 10_000));
        MirrorWriter smallWriter = Mirrors.writer(small, () -> 0);
        Resync first = smallWriter.resync();
        for (int i = 0; i < 20; i++) {
            first.add(object("a/" + i, 10 + i));
        }
        first.complete(revision(100));

        assertThat(smallWriter.resync().complete(revision(200)))
                .isEqualTo(Resync.Completion.BROKEN);
    }

    @Test
    void list_with_a_duplicate_object_counts_it_once() {
        Resync resync = writer.resync();
        resync.add(object("a/p", 100));
        resync.add(object("a/p", 105));

        assertThat(resync.size()).isEqualTo(1);
        resync.complete(revision(110));
        assertThat(stored("a/p").revision()).isEqualTo(revision(105));
    }

    @Test
    void watch_reads_a_bridge_in_any_number_of_steps() {
        list(120, object("a/p", 100), object("a/q", 101), object("a/r", 102));
        Cursor watcher = cursor(120);
        list(130);

        long first = read(watcher).changes().getFirst().sequence();
        Cursor within = new Cursor(revision(121), watcher.era(), first + 1);
        assertThat(seenBy(within)).containsExactly("Deleted a/q at 122", "Deleted a/r at 123");
    }

    @Test
    void bridges_are_remembered_as_long_as_the_history_begins_before_them() {
        list(120, object("a/p", 100));
        list(130, object("a/p", 100));
        writer.shorten(Long.MAX_VALUE);
        list(140, object("a/p", 100));

        assertThat(mirror.floor()).isEqualTo(revision(120));
        assertThat(mirror.start(revision(125))).isEqualTo(new StartPosition.TooOld(revision(130)));
    }
}
