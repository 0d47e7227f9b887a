package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HighWaterMarkTest {

    private static final long PERIOD = HighWaterMark.PERIOD.toNanos();

    private final HighWaterMark mark = new HighWaterMark();
    private long now = Duration.ofDays(1).toNanos();

    HighWaterMarkTest() {
        assertThat(read(0)).isZero();
    }

    @Test
    void reading_takes_nothing_from_other_scrapers() {
        pass(Duration.ofSeconds(119));
        mark.record(900);

        for (int scrape = 0; scrape < 8; scrape++) {
            assertThat(read(0)).as("after %s s", 15 * scrape).isEqualTo(900);
            pass(Duration.ofSeconds(15));
        }
        assertThat(read(0)).isEqualTo(900);
    }

    @Test
    void value_is_forgotten_after_two_periods() {
        mark.record(900);
        pass(HighWaterMark.PERIOD);
        assertThat(read(0)).isEqualTo(900);
        mark.record(5);
        pass(HighWaterMark.PERIOD);
        assertThat(read(0)).isEqualTo(5);
        pass(HighWaterMark.PERIOD);
        assertThat(read(0)).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE})
    void origin_of_the_clock_makes_no_difference(long origin) {
        HighWaterMark early = new HighWaterMark();
        early.record(900);
        assertThat(early.get(0, origin)).isEqualTo(900);
        assertThat(early.get(0, origin + PERIOD - 1)).isEqualTo(900);
        assertThat(early.get(0, origin + PERIOD)).isEqualTo(900);
        assertThat(early.get(0, origin + 2 * PERIOD)).isZero();
    }

    @Test
    void single_scraper_sees_every_burst_at_any_interval() {
        for (int burst = 1; burst < 5; burst++) {
            mark.record(100 - burst);
            pass(Duration.ofHours(1));
            assertThat(read(0)).isEqualTo(100 - burst);
        }
    }

    private long read(long present) {
        return mark.get(present, now);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }
}
