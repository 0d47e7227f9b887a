package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;

class SteadyClockTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private Instant system = START;
    private long nanos = -7;
    private final SteadyClock clock = SteadyClock.beginning(() -> system, () -> nanos);

    private void pass(Duration time) {
        nanos += time.toNanos();
        system = system.plus(time);
    }

    @Test
    void time_goes_on_evenly_when_the_clock_of_the_system_is_set() {
        system = system.minus(Duration.ofHours(1));
        pass(Duration.ofSeconds(5));
        assertThat(clock.instant()).isEqualTo(START.plusSeconds(5));

        system = system.plus(Duration.ofDays(1));
        pass(Duration.ofSeconds(1));
        assertThat(clock.instant()).isEqualTo(START.plusSeconds(6));
    }

    @Test
    void times_are_converted_by_how_far_the_clocks_are_apart() {
        pass(Duration.ofSeconds(5));
        assertThat(clock.toSystem(START)).isEqualTo(START);

        system = system.minus(Duration.ofHours(1));
        assertThat(clock.toSystem(START)).isEqualTo(START.minus(Duration.ofHours(1)));
        assertThat(clock.fromSystem(clock.toSystem(START))).isEqualTo(START);
        assertThat(clock.toSystem(clock.instant())).isEqualTo(clock.system().instant());
    }
}
