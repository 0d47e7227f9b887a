package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.testing.MirrorSets;
import io.kubemirror.testing.Mirrors;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.Test;

class WatchLagsTest {

    private final MockClock clock = new MockClock();
    private final long now = TimeUnit.DAYS.toNanos(1);

    @Test
    void lag_of_a_burst_stays_visible_after_it() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
        Mirror mirror = Mirrors.pods();
        WatchMeters meters =
                new WatchMeters(
                        MirrorSets.of(mirror), registry, new WatchRegistry(() -> now), () -> now);
        Gauge longest = registry.get("kubemirror.watch.lag.max").gauge();
        assertThat(longest.value()).isZero();

        FrameBatch batch = new FrameBatch(1_024, 10, UnaryOperator.identity());
        batch.add(new byte[1], now - TimeUnit.SECONDS.toNanos(5));
        batch.add(new byte[1], now - TimeUnit.SECONDS.toNanos(1));
        meters.of(mirror).delivered(batch);
        meters.of(mirror).delivered(new FrameBatch(1_024, 10, UnaryOperator.identity()));

        assertThat(longest.value()).isEqualTo(5);
        clock.add(Duration.ofMinutes(2));
        assertThat(longest.value()).isEqualTo(5);
        clock.add(Duration.ofMinutes(1));
        assertThat(longest.value()).isZero();
    }
}
