package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubemirror.reflector.ListLimiter.ListPermit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Several reflectors start at random times, and the number of lists at the same time is limited
 * (list-watch.md#bo-7).
 */
class ListLimiterTest {

    private final ListLimiter limiter = new ListLimiter(1);
    private final ListPermit one = limiter.permit();
    private final ListPermit other = limiter.permit();

    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    @Test
    void while_one_fetches_the_other_waits() throws Exception {
        one.acquire(true);

        assertThatThrownBy(this::takeOtherUnlessItHasToWait)
                .isInstanceOf(InterruptedException.class);
    }

    @Test
    @Timeout(30)
    void fetching_on_and_on_takes_one_turn_and_resting_gives_it_back() throws Exception {
        one.acquire(true);
        one.acquire(true);
        one.acquire(false);

        other.acquire(true);

        assertThatThrownBy(this::takeOneUnlessItHasToWait).isInstanceOf(InterruptedException.class);
    }

    @Test
    void what_is_given_up_twice_is_given_back_once() throws Exception {
        one.acquire(true);
        one.release();
        one.release();
        one.acquire(true);

        assertThatThrownBy(this::takeOtherUnlessItHasToWait)
                .isInstanceOf(InterruptedException.class);
    }

    private void takeOneUnlessItHasToWait() throws InterruptedException {
        Thread.currentThread().interrupt();
        one.acquire(true);
    }

    /** A thread that is interrupted beforehand cannot wait. */
    private void takeOtherUnlessItHasToWait() throws InterruptedException {
        Thread.currentThread().interrupt();
        other.acquire(true);
    }
}
