package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.Mirror.Backlog;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

class WatchLagsTest {

    private final List<Backlog> watches = new ArrayList<>();
    private long now = TimeUnit.DAYS.toNanos(1);
    private final WatchMeters.WatchLags lags =
            new WatchMeters.WatchLags(() -> List.copyOf(watches), () -> now);

    @Test
    void lag_is_zero_without_watches() {
        assertThat(lags.seconds(1)).isZero();
        assertThat(lags.changes(0.5)).isZero();
    }

    @Test
    void quantiles_include_all_watches() {
        IntStream.rangeClosed(1, 100)
                .mapToObj(i -> new Backlog(101 - i, Duration.ofMillis(100L * i)))
                .forEach(watches::add);

        assertThat(lags.seconds(0.5)).isEqualTo(5);
        assertThat(lags.seconds(0.99)).isEqualTo(9.9);
        assertThat(lags.seconds(1)).isEqualTo(10);
        assertThat(lags.changes(0.9)).isEqualTo(90);
        assertThat(lags.changes(1)).isEqualTo(100);
    }

    @Test
    void watches_are_sampled_at_most_once_a_second() {
        assertThat(lags.changes(1)).isZero();
        watches.add(new Backlog(3, Duration.ofSeconds(2)));
        now += TimeUnit.MILLISECONDS.toNanos(999);
        assertThat(lags.changes(1)).isZero();
        now += TimeUnit.MILLISECONDS.toNanos(1);
        assertThat(lags.changes(1)).isEqualTo(3);
        assertThat(lags.seconds(1)).isEqualTo(2);
    }
}
