package io.kubemirror.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.LoggedChange.FrameCache;
import io.kubemirror.mirror.LoggedChange.FrameCache.Frame;
import io.kubemirror.model.MemoryBudget;

import org.junit.jupiter.api.Test;

class FrameCacheTest {

    /** What a frame costs beyond its bytes, as the budget shows it. */
    private static final long OVERHEAD = cost(0);

    private static long cost(int bytes) {
        FrameCache cache = new FrameCache(MemoryBudget.unlimited());
        cache.keep(frame(bytes));
        return cache.used();
    }

    private static Frame frame(int bytes) {
        return new Frame("form", new byte[bytes]);
    }

    private static FrameCache cache(long limit) {
        return new FrameCache(MemoryBudget.ofProcess(limit));
    }

    @Test
    void frame_is_charged_with_its_bytes_and_a_constant() {
        assertThat(OVERHEAD).isPositive();
        assertThat(cost(1_000)).isEqualTo(OVERHEAD + 1_000);
    }

    @Test
    void frame_that_takes_the_whole_cache_replaces_all_others() {
        FrameCache cache = cache(2 * (OVERHEAD + 100));
        Frame first = frame(100);
        Frame second = frame(100);
        cache.keep(first);
        cache.keep(second);
        assertThat(first.isDropped() || second.isDropped()).isFalse();

        Frame whole = frame((int) (OVERHEAD + 200));
        cache.keep(whole);

        assertThat(first.isDropped() && second.isDropped()).isTrue();
        assertThat(whole.bytes("form")).isNotNull();
        assertThat(cache.used()).isEqualTo(2 * (OVERHEAD + 100));
    }

    @Test
    void frame_that_can_never_fit_is_dropped_and_others_stay() {
        FrameCache cache = cache(OVERHEAD + 100);
        Frame small = frame(100);
        cache.keep(small);

        Frame large = frame(101);
        cache.keep(large);

        assertThat(large.isDropped()).isTrue();
        assertThat(small.isDropped()).isFalse();
    }

    @Test
    void oldest_frame_is_dropped_first() {
        FrameCache cache = cache(2 * (OVERHEAD + 100));
        Frame oldest = frame(100);
        Frame newer = frame(100);
        cache.keep(oldest);
        cache.keep(newer);
        cache.keep(frame(100));

        assertThat(oldest.isDropped()).isTrue();
        assertThat(newer.isDropped()).isFalse();
        assertThat(cache.dropOldest()).isTrue();
        assertThat(cache.dropOldest()).isTrue();
        assertThat(cache.dropOldest()).as("empty").isFalse();
        assertThat(cache.used()).isZero();
    }
}
