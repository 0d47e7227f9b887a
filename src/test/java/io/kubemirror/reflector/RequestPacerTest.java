package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;

class RequestPacerTest {

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final RequestPacer requestPacer = new RequestPacer(() -> now, Duration.ofMillis(500));

    /**
     * A resource is listed at most once per half second, and once per second after a failure
     * (list-watch.md#bo-4).
     */
    @Test
    void lists_start_at_least_half_a_second_apart() {
        assertThat(requestPacer.untilList()).isZero();
        requestPacer.list();
        assertThat(requestPacer.untilList()).isEqualTo(Duration.ofMillis(500));
        pass(Duration.ofMillis(500));
        assertThat(requestPacer.untilList()).isZero();
    }

    /**
     * A resource is listed at most once per half second, and once per second after a failure
     * (list-watch.md#bo-4).
     */
    @Test
    void failed_list_is_retried_after_one_second() {
        requestPacer.list();
        requestPacer.listFailed();
        assertThat(requestPacer.untilList()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void lists_are_limited_to_sixty_per_minute() {
        Instant end = now.plus(Duration.ofMinutes(1));
        int lists = 0;
        while (now.isBefore(end)) {
            pass(requestPacer.untilList());
            for (int i = 0; i < 3; i++) {
                requestPacer.list();
                lists++;
            }
        }
        assertThat(lists).isBetween(45, 60);
    }

    @Test
    void watch_requests_burst_to_ten_and_then_run_once_per_second() {
        for (int i = 0; i < 10; i++) {
            assertThat(requestPacer.untilWatch()).isZero();
            requestPacer.watch();
        }
        assertThat(requestPacer.untilWatch()).isEqualTo(Duration.ofSeconds(1));
        pass(Duration.ofSeconds(1));
        assertThat(requestPacer.untilWatch()).isZero();
    }

    private void pass(Duration duration) {
        now = now.plus(duration);
    }
}
