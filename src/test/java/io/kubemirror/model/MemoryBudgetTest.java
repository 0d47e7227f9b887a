package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryBudgetTest {

    private final MemoryBudget all = MemoryBudget.of(100);
    private final MemoryBudget most = all.upTo(80);

    @Test
    void bytes_are_acquired_up_to_the_limit_and_become_free() {
        assertThat(all.tryAcquire(101)).isFalse();
        assertThat(all.tryAcquire(100)).isTrue();
        assertThat(all.tryAcquire(1)).isFalse();

        all.release(40);
        assertThat(all.used()).isEqualTo(60);
        assertThat(all.tryAcquire(40)).isTrue();
    }

    @Test
    void who_can_do_without_leaves_the_rest_to_others() {
        assertThat(all.tryAcquire(70)).isTrue();

        assertThat(most.tryAcquire(11)).isFalse();
        assertThat(most.tryAcquire(10)).isTrue();
        assertThat(most.used()).isEqualTo(all.used()).isEqualTo(80);
        assertThat(most.tryAcquire(1)).isFalse();
        assertThat(all.tryAcquire(20)).isTrue();
        assertThat(all.upTo(1_000).limit()).isEqualTo(100);
    }

    @Test
    void unconditional_acquisition_may_exceed_the_limit() {
        all.acquire(115);

        assertThat(all.used() - all.limit()).isEqualTo(15);
        assertThat(all.tryAcquire(0)).isFalse();
    }
}
