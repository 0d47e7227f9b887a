package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class MemoryBudgetTest {

    private final MemoryBudget process = MemoryBudget.ofProcess(100);
    private final MemoryBudget clients = process.part("clients", 40);
    private final MemoryBudget mirrors = process.part("mirrors", 80);

    @Test
    void bytes_acquired_by_a_part_count_against_the_process_budget() {
        assertThat(clients.tryAcquire(30)).isTrue();

        assertThat(clients.used()).isEqualTo(30);
        assertThat(process.used()).isEqualTo(30);
        assertThat(mirrors.used()).isZero();
    }

    @Test
    void part_rejects_acquisition_beyond_its_own_limit() {
        assertThat(clients.tryAcquire(41)).isFalse();

        assertThat(process.used()).isZero();
        assertThat(clients.used()).isZero();
    }

    @Test
    void part_rejects_acquisition_beyond_the_process_limit() {
        assertThat(mirrors.tryAcquire(80)).isTrue();

        assertThat(clients.tryAcquire(21)).isFalse();
        assertThat(clients.tryAcquire(20)).isTrue();
        assertThat(process.used()).isEqualTo(100);
    }

    @Test
    void released_bytes_become_free() {
        assertThat(clients.tryAcquire(40)).isTrue();
        clients.release(40);

        assertThat(clients.used()).isZero();
        assertThat(process.used()).isZero();
        assertThat(clients.tryAcquire(40)).isTrue();
    }

    @Test
    void unconditional_acquisition_may_exceed_the_limit() {
        mirrors.acquire(95);

        assertThat(mirrors.used() - mirrors.limit()).isEqualTo(15);
        assertThat(mirrors.tryAcquire(1)).isFalse();
        assertThat(clients.tryAcquire(6)).isFalse();
        assertThat(clients.tryAcquire(5)).isTrue();
    }

    @Test
    void part_limit_is_capped_at_the_process_limit() {
        assertThat(process.part("large", 1_000).limit()).isEqualTo(100);
        assertThat(process.parts())
                .extracting(MemoryBudget::name)
                .containsExactly("clients", "mirrors", "large");
    }

    @Test
    void unlimited_budget_accepts_any_acquisition() {
        MemoryBudget unlimited = MemoryBudget.unlimited();

        assertThat(unlimited.tryAcquire(Long.MAX_VALUE)).isTrue();
        assertThat(unlimited.used()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void negative_limit_is_rejected() {
        assertThatIllegalArgumentException().isThrownBy(() -> MemoryBudget.ofProcess(-1));
    }
}
