package io.kubemirror.ops;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;

class ExpiringSupplierTest {

    private Instant now = Instant.EPOCH;
    private final AtomicInteger asked = new AtomicInteger();
    private final ExpiringSupplier<Integer> cached =
            new ExpiringSupplier<>(asked::incrementAndGet, Duration.ofSeconds(1), () -> now);

    @Test
    void an_answer_is_given_again_while_it_is_young() {
        assertThat(cached.get()).isOne();
        now = now.plusMillis(999);
        assertThat(cached.get()).isOne();
        now = now.plusMillis(1);
        assertThat(cached.get()).isEqualTo(2);
    }
}
