package io.kubemirror.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.MirrorSets;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;

class MirrorSetTest {

    private final Mirror pods = mirror("pods");
    private final Mirror nodes = mirror("nodes");
    private final Mirror secrets = mirror("secrets");
    private final MirrorSet mirrors = MirrorSets.of(pods, nodes);
    private final List<String> seen = new ArrayList<>();

    private static Mirror mirror(String resource) {
        return Mirrors.of(resource);
    }

    private void listen() {
        mirrors.listen(
                new MirrorSet.Listener() {
                    @Override
                    public void added(Mirror mirror) {
                        seen.add("+" + mirror.scope() + mirrors.all().contains(mirror));
                    }

                    @Override
                    public void removed(Mirror mirror) {
                        seen.add("-" + mirror.scope() + mirrors.all().contains(mirror));
                        assertThat(mirror.isRemoved()).isTrue();
                    }
                });
    }

    @Test
    void listener_learns_the_present_mirrors_first() {
        listen();

        assertThat(seen).containsExactly("+podstrue", "+nodestrue");
    }

    @Test
    void mirror_is_announced_before_it_is_visible_and_removed_before_its_end_is_announced() {
        listen();
        seen.clear();

        mirrors.update(List.of(secrets, pods));

        assertThat(seen).containsExactly("+secretsfalse", "-nodesfalse");
        assertThat(mirrors.all()).containsExactly(secrets, pods);
        assertThat(nodes.isRemoved()).isTrue();
        assertThat(pods.isRemoved()).isFalse();
    }

    @Test
    void mirror_of_the_same_name_keeps_the_name_in_the_set() {
        Mirror other = mirror("pods");

        mirrors.update(List.of(other));

        assertThat(mirrors.has(pods.scope())).isTrue();
        assertThat(mirrors.has(nodes.scope())).isFalse();
    }
}
