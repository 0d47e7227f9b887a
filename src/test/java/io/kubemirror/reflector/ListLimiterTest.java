package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

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
    void list_waits_while_another_holds_the_only_permit() throws Exception {
        one.acquire(true);

        assertThatThrownBy(this::takeOtherUnlessItHasToWait)
                .isInstanceOf(InterruptedException.class);
    }

    @Test
    @Timeout(30)
    void repeated_acquisition_takes_one_permit_and_backing_off_releases_it() throws Exception {
        one.acquire(true);
        one.acquire(true);
        one.acquire(false);

        other.acquire(true);

        assertThatThrownBy(this::takeOneUnlessItHasToWait).isInstanceOf(InterruptedException.class);
    }

    @Test
    void double_release_returns_the_permit_once() throws Exception {
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
