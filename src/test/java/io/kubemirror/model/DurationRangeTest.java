package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import module java.base;

import org.junit.jupiter.api.Test;

class DurationRangeTest {

    private static final Duration ONE = Duration.ofNanos(1);
    private static final Duration THREE = Duration.ofNanos(3);

    @Test
    void every_duration_of_the_range_is_drawn_and_no_other() {
        DurationRange range = new DurationRange(ONE, THREE);
        SplittableRandom random = new SplittableRandom(1);
        Set<Duration> drawn = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            drawn.add(range.draw(random));
        }

        assertThat(drawn).containsExactlyInAnyOrder(ONE, Duration.ofNanos(2), THREE);
        assertThat(new DurationRange(ONE, ONE).draw(random)).isEqualTo(ONE);
    }

    @Test
    void empty_range_and_shortest_duration_of_zero_are_refused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new DurationRange(THREE, ONE));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DurationRange(Duration.ZERO, ONE));
    }
}
