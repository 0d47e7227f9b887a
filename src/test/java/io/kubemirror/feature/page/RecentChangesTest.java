package io.kubemirror.feature.page;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.health.PodMirror;

import org.assertj.core.data.Index;
import org.junit.jupiter.api.Test;

/** Tests what the charts of the status page begin with. */
class RecentChangesTest {

    private final PodMirror pods = new PodMirror("default");
    private long nanos;

    @Test
    void changes_are_counted_in_the_second_in_which_they_were_received() throws Exception {
        assertThat(count()).containsOnly(0);
        pods.sync("5", PodMirror.pod("a", "4", "{}"));
        for (int i = 0; i < 6_000; i++) {
            pods.upsert(PodMirror.pod("p" + i, Integer.toString(6 + i), "{}"));
        }
        nanos = Duration.ofMillis(2_500).toNanos();

        assertThat(count()).hasSize(120).contains(6_000, Index.atIndex(117));
        assertThat(Arrays.stream(count()).sum()).isEqualTo(6_000);

        nanos = Duration.ofMinutes(2).toNanos();
        assertThat(count()).containsOnly(0);
    }

    private int[] count() {
        return new RecentChanges(() -> nanos)
                .of(List.of(pods.mirror()))
                .getOrDefault("pods/default", new int[0]);
    }
}
