package io.kubemirror.app.health;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.watch.HighWaterMark;
import io.kubemirror.interleaving.ConcurrentScenario;

/** Values are recorded while a scrape ends a period: the next scrape sees the largest. */
final class ScrapedHighWaterMark implements ConcurrentScenario {

    private static final long PERIOD = HighWaterMark.PERIOD.toNanos();

    private final HighWaterMark mark = new HighWaterMark();

    ScrapedHighWaterMark() {
        mark.get(0, PERIOD);
        mark.record(5);
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(() -> mark.record(7), () -> mark.record(6), () -> mark.get(0, 2 * PERIOD));
    }

    @Override
    public void verify() {
        assertThat(mark.get(0, 3 * PERIOD - 1)).isEqualTo(7);
    }
}
