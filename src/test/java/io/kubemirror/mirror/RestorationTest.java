package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.mirror.MirrorWriter.Applied;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;

/** Tests what of a stored history becomes that of a mirror, and the memory that it takes. */
class RestorationTest {

    private final MemoryBudget all = MemoryBudget.of(10_000_000);
    private final Mirror mirror = Mirrors.pods(new Window(4, 4, Duration.ofSeconds(1), 1_000_000));
    private final MirrorWriter writer = Mirrors.writer(mirror, new MirrorMemory(all));
    private final Restoration restoration = writer.restoration();

    /** Adds one object and ten changes, each a minute apart. */
    private void restore() {
        restoration.add(object("a/old", 1));
        restoration.begin(revision(10));
        for (int i = 11; i <= 20; i++) {
            restoration.upsert(object("a/x", i), revision(i), Duration.ofMinutes(21 - i));
        }
    }

    private void complete(long reached) {
        Mirrors.restore(restoration, ServedTypes.PODS, reached, Instant.EPOCH, Instant.EPOCH);
    }

    @Test
    void oldest_changes_beyond_the_window_become_part_of_the_state() {
        restore();
        assertThat(mirror.snapshot()).isEmpty();

        complete(25);

        assertThat(mirror.revision()).isEqualTo(revision(25));
        assertThat(mirror.view().recent().changes()).isEqualTo(4);
        assertThat(mirror.floor()).isEqualTo(revision(16));
        assertThat(mirror.snapshot(revision(16)).orElseThrow().objects())
                .anyMatch(one -> one.isSameState(object("a/x", 16)));
        assertThat(mirror.snapshot().orElseThrow().size()).isEqualTo(2);
    }

    /** Cursors and tags of lists contain it, and would fit another mirror. */
    @Test
    void history_has_an_era_that_no_other_restored_mirror_has() {
        Mirror other = Mirrors.pods();
        Restoration second = Mirrors.writer(other, new MirrorMemory(all)).restoration();
        restoration.begin(revision(10));
        second.begin(revision(10));
        long before = mirror.view().era();

        complete(10);
        Mirrors.restore(second, ServedTypes.PODS, 10, Instant.EPOCH, Instant.EPOCH);

        assertThat(mirror.view().era()).isGreaterThan(before).isNotEqualTo(other.view().era());
    }

    @Test
    void deletions_of_one_transaction_are_restored() {
        restoration.add(object("a/x", 1));
        restoration.add(object("a/y", 2));
        restoration.begin(revision(10));
        restoration.delete(new ObjectKey("a/x"), revision(11), Duration.ZERO);
        Revision second = revision(11).following(revision(11));
        restoration.delete(new ObjectKey("a/y"), second, Duration.ZERO);

        complete(11);

        assertThat(mirror.snapshot().orElseThrow().size()).isZero();
        assertThat(mirror.view().recent().changes()).isEqualTo(2);
        assertThat(writer.delete(new ObjectKey("a/z"), revision(11))).isEqualTo(Applied.DUPLICATE);
    }

    @Test
    void memory_is_that_of_the_objects_and_of_the_history() {
        restore();
        complete(25);

        long objects = mirror.snapshot().orElseThrow().heapBytes();
        assertThat(all.used()).isEqualTo(objects + mirror.view().recent().bytes());
    }

    /** The reflector reports that it waits while another thread restores the mirror. */
    @Test
    void status_from_before_a_restoration_does_not_replace_the_time_of_contact() {
        Instant contact = Instant.EPOCH.plusSeconds(60);
        UpstreamStatus waiting =
                new UpstreamStatus(
                        Phase.BACKING_OFF,
                        contact,
                        mirror.upstream().contact(),
                        "waits for its file");
        restore();
        Mirrors.restore(restoration, ServedTypes.PODS, 25, contact.plusSeconds(9), contact);

        writer.report(waiting);

        assertThat(mirror.upstream().contact()).isEqualTo(contact);
    }

    @Test
    void memory_of_a_history_that_makes_no_sense_is_released() {
        restore();
        Duration age = Duration.ZERO;

        assertThatThrownBy(() -> restoration.upsert(object("a/x", 20), revision(20), age))
                .hasMessage("the stored changes are not in order");
        assertThatThrownBy(() -> restoration.delete(new ObjectKey("a/y"), revision(21), age))
                .hasMessage("a stored change is of an unknown object");
        restoration.discard();

        assertThat(all.used()).isZero();
        assertThat(mirror.snapshot()).isEmpty();
    }
}
