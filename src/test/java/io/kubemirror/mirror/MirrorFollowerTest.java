package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;

/** Tests when a copy of a mirror is unusable. */
class MirrorFollowerTest {

    private final Mirror mirror = Mirrors.pods();
    private final MirrorWriter writer = Mirrors.writer(mirror, System::nanoTime);

    /** The disk may hang. */
    @Test
    void writer_waits_for_the_end_of_a_copy_without_a_lock_and_before_readers_see_other_content() {
        List<Boolean> free = new ArrayList<>();
        List<Revision> seen = new ArrayList<>();
        MirrorFollower follower =
                new MirrorFollower(
                        writer,
                        () -> {
                            free.add(MirrorMemoryTest.isFree(writer));
                            seen.add(mirror.revision());
                        });
        writer.identify(ServedTypes.PODS, DeclaredFields.NONE);
        writer.resync().complete(revision(10));
        follower.whole().orElseThrow().close();

        Resync list = writer.resync();
        list.add(object("a/x", 15));
        list.complete(revision(20));
        writer.forget();

        assertThat(free).containsExactly(true, true);
        assertThat(seen).containsExactly(revision(10), revision(20));
    }

    /** It would be of the old content, but take its name after the end of the last one. */
    @Test
    void no_copy_is_begun_or_finished_while_the_content_is_being_replaced() {
        List<Boolean> begun = new ArrayList<>();
        List<Boolean> current = new ArrayList<>();
        List<MirrorFollower> followers = new ArrayList<>();
        followers.add(
                new MirrorFollower(
                        writer,
                        () -> {
                            begun.add(followers.getFirst().whole().isPresent());
                            current.add(followers.getFirst().isCurrent());
                        }));
        MirrorFollower follower = followers.getFirst();
        writer.identify(ServedTypes.PODS, DeclaredFields.NONE);
        writer.resync().complete(revision(10));
        follower.whole().orElseThrow().close();
        assertThat(follower.isCurrent()).isTrue();

        writer.resync().complete(revision(5));

        assertThat(begun).containsExactly(false);
        assertThat(current).containsExactly(false);
        assertThat(follower.isCurrent()).isFalse();
        follower.whole().orElseThrow().close();
        assertThat(follower.isCurrent()).isTrue();
    }
}
