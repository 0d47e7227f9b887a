package io.kubemirror.api.read;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.Revision;

import org.junit.jupiter.api.Test;

/** The waits of one read take no longer together than one of them may. */
class ReadTimeTest {

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final AtomicLong now = new AtomicLong();

    private ReadTime time(Duration allotted) {
        return new ReadTime(Revision.ZERO, allotted, now::get);
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void later_wait_has_what_earlier_ones_have_left() {
        ReadTime time = time(Duration.ofMinutes(1));
        assertThat(time.left(PATIENCE)).isEqualTo(PATIENCE);

        pass(Duration.ofSeconds(2));
        assertThat(time.left(PATIENCE)).isEqualTo(Duration.ofSeconds(1));

        pass(Duration.ofSeconds(2));
        assertThat(time.left(PATIENCE)).isZero();
    }

    @Test
    void wait_is_no_longer_than_the_request() {
        assertThat(time(Duration.ofMillis(50)).left(PATIENCE)).isEqualTo(Duration.ofMillis(50));
    }
}
