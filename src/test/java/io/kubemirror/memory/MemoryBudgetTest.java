package io.kubemirror.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class MemoryBudgetTest {

    private final MemoryBudget process = MemoryBudget.ofProcess(100);
    private final MemoryBudget clients = process.part("clients", 40);
    private final MemoryBudget mirrors = process.part("mirrors", 80);

    @Test
    void bytes_of_a_part_count_against_the_whole() {
        assertThat(clients.tryAcquire(30)).isTrue();

        assertThat(clients.used()).isEqualTo(30);
        assertThat(process.used()).isEqualTo(30);
        assertThat(mirrors.used()).isZero();
    }

    @Test
    void part_refuses_what_is_beyond_its_own_limit() {
        assertThat(clients.tryAcquire(41)).isFalse();

        assertThat(process.used()).isZero();
        assertThat(clients.used()).isZero();
    }

    @Test
    void part_refuses_what_is_beyond_the_limit_of_the_whole() {
        assertThat(mirrors.tryAcquire(80)).isTrue();

        assertThat(clients.tryAcquire(21)).isFalse();
        assertThat(clients.tryAcquire(20)).isTrue();
        assertThat(process.used()).isEqualTo(100);
    }

    @Test
    void released_bytes_are_free_again() {
        assertThat(clients.tryAcquire(40)).isTrue();
        clients.release(40);

        assertThat(clients.free()).isEqualTo(40);
        assertThat(process.free()).isEqualTo(100);
    }

    @Test
    void free_bytes_are_limited_by_the_whole() {
        assertThat(mirrors.tryAcquire(80)).isTrue();

        assertThat(clients.free()).isEqualTo(20);
        assertThat(mirrors.free()).isZero();
    }

    @Test
    void unconditional_acquisition_shows_as_excess() {
        mirrors.acquire(95);

        assertThat(mirrors.excess()).isEqualTo(15);
        assertThat(mirrors.tryAcquire(1)).isFalse();
        assertThat(clients.excess()).isZero();
        assertThat(clients.free()).isEqualTo(5);
    }

    @Test
    void limit_of_a_part_is_not_above_that_of_the_whole() {
        assertThat(process.part("large", 1_000).limit()).isEqualTo(100);
        assertThat(process.parts())
                .extracting(MemoryBudget::name)
                .containsExactly("clients", "mirrors", "large");
    }

    @Test
    void unlimited_budget_takes_everything() {
        MemoryBudget unlimited = MemoryBudget.unlimited();

        assertThat(unlimited.tryAcquire(Long.MAX_VALUE)).isTrue();
        assertThat(unlimited.excess()).isZero();
    }

    @Test
    void negative_limit_is_refused() {
        assertThatIllegalArgumentException().isThrownBy(() -> MemoryBudget.ofProcess(-1));
    }
}
