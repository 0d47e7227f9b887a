package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;

class RequestPacerTest {

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    /** One synchronization may need three lists (list-watch.md#bo-4). */
    @Test
    void three_lists_start_at_once_and_fewer_than_sixty_in_a_minute() {
        assertThat(starts(RequestPacer.ofLists(() -> now))).containsExactly(3, 52);
    }

    @Test
    void ten_watches_are_reopened_at_once_and_then_one_each_second() {
        assertThat(starts(RequestPacer.ofWatches(() -> now))).containsExactly(10, 69);
    }

    /** How many are started at once, and in the first minute, if each starts as soon as it may. */
    private List<Integer> starts(RequestPacer pacer) {
        Instant end = now.plusSeconds(60);
        int atOnce = 0;
        int inAll = 0;
        while (now.isBefore(end)) {
            if (pacer.untilNext().isZero()) {
                pacer.begin();
                inAll++;
            } else {
                atOnce = atOnce == 0 ? inAll : atOnce;
                now = now.plus(pacer.untilNext());
            }
        }
        return List.of(atOnce, inAll);
    }
}
