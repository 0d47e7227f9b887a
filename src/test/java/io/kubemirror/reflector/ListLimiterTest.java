package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.reflector.ListLimiter.ListPermit;
import io.kubemirror.testing.Unchecked;

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

    @Test
    void limit_can_be_raised_and_lowered_while_lists_are_in_progress() throws Exception {
        ListLimiter.ListPermit first = limiter.permit();
        first.acquire(true);
        limiter.limit(2);
        ListLimiter.ListPermit second = limiter.permit();
        second.acquire(true);
        limiter.limit(1);

        Thread third =
                Thread.ofVirtual().start(() -> Unchecked.run(() -> limiter.permit().acquire(true)));
        first.release();
        assertThat(third.join(Duration.ofMillis(50))).isFalse();
        second.release();
        third.join();
    }
}
