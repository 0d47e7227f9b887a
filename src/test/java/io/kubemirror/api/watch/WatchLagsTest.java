package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.watch.WatcherDirectory.WatcherInfo;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Backlog;
import io.kubemirror.testing.MirrorSets;
import io.kubemirror.testing.Mirrors;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.Test;

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
    void lag_of_a_burst_stays_visible_after_it() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        List<WatcherInfo> open = new ArrayList<>();
        Mirror mirror = Mirrors.pods();
        WatchMeters meters = new WatchMeters(MirrorSets.of(mirror), registry, _ -> open, () -> now);
        Gauge longest = registry.get("kubemirror.watch.lag.max").gauge();
        assertThat(longest.value()).isZero();

        FrameBatch batch = new FrameBatch(1_024, 10);
        batch.add(new byte[1], now - TimeUnit.SECONDS.toNanos(5));
        batch.add(new byte[1], now - TimeUnit.SECONDS.toNanos(1));
        meters.of(mirror).delivered(batch);
        meters.of(mirror).delivered(FrameBatch.sign(new byte[1]));

        assertThat(longest.value()).isEqualTo(5);
        now += TimeUnit.MINUTES.toNanos(2);
        assertThat(longest.value()).isEqualTo(5);
        now += TimeUnit.MINUTES.toNanos(2);
        assertThat(longest.value()).isZero();
        assertThat(meters).isNotNull();
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
