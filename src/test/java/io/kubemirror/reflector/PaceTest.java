package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;

class PaceTest {

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final Pace pace = new Pace(() -> now);

    /** BO-4. */
    @Test
    void lists_begin_half_a_second_apart() {
        assertThat(pace.untilList()).isZero();
        pace.list();
        assertThat(pace.untilList()).isEqualTo(Duration.ofMillis(500));
        pass(Duration.ofMillis(500));
        assertThat(pace.untilList()).isZero();
    }

    /** BO-4. */
    @Test
    void a_failed_list_is_followed_by_another_after_a_second() {
        pace.list();
        pace.listFailed();
        assertThat(pace.untilList()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void there_are_fewer_than_sixty_lists_in_any_minute_however_many_a_round_takes() {
        Instant end = now.plus(Duration.ofMinutes(1));
        int lists = 0;
        while (now.isBefore(end)) {
            pass(pace.untilList());
            for (int i = 0; i < 3; i++) {
                pace.list();
                lists++;
            }
        }
        assertThat(lists).isBetween(45, 60);
    }

    @Test
    void watches_are_opened_ten_times_at_once_and_then_once_a_second() {
        for (int i = 0; i < 10; i++) {
            assertThat(pace.untilWatch()).isZero();
            pace.watch();
        }
        assertThat(pace.untilWatch()).isEqualTo(Duration.ofSeconds(1));
        pass(Duration.ofSeconds(1));
        assertThat(pace.untilWatch()).isZero();
    }

    @Test
    void a_clock_that_is_set_back_costs_seconds_and_no_more() {
        pace.list();
        pace.watch();
        now = now.minus(Duration.ofDays(1));

        assertThat(pace.untilList()).isLessThanOrEqualTo(Duration.ofSeconds(6));
        assertThat(pace.untilWatch()).isLessThanOrEqualTo(Duration.ofSeconds(5));
    }

    private void pass(Duration duration) {
        now = now.plus(duration);
    }
}
