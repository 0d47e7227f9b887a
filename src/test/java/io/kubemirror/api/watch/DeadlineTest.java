package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;

/** An alarm rings in time, and is set as seldom as possible. */
@Timeout(60)
class DeadlineTest {

    private static final long DAY = Duration.ofDays(1).toNanos();

    private final ScheduledThreadPoolExecutor alarms = alarms();
    private final Semaphore rings = new Semaphore(0);
    private final Deadline deadline = new Deadline(alarms, System::nanoTime, rings::release);

    private static ScheduledThreadPoolExecutor alarms() {
        ScheduledThreadPoolExecutor alarms = new ScheduledThreadPoolExecutor(1);
        alarms.setRemoveOnCancelPolicy(true);
        return alarms;
    }

    @AfterEach
    void close() {
        alarms.shutdownNow();
    }

    @Test
    void it_rings_when_its_time_has_come() throws Exception {
        long until = System.nanoTime() + Duration.ofMillis(5).toNanos();
        deadline.set(until);
        rings.acquire();
        assertThat(System.nanoTime() - until).isNotNegative();
    }

    @Test
    void a_time_that_has_passed_rings_at_once() throws Exception {
        deadline.set(System.nanoTime() - DAY);
        rings.acquire();
    }

    @Test
    void a_later_time_leaves_it_as_it_is_and_an_earlier_one_does_not() throws Exception {
        long now = System.nanoTime();
        deadline.set(now + DAY);
        deadline.set(now + 2 * DAY);
        assertThat(alarms.getQueue()).hasSize(1);
        deadline.set(now);
        rings.acquire();
    }

    @Test
    void after_a_ring_it_is_set_anew_though_it_rang_for_an_earlier_time() throws Exception {
        long now = System.nanoTime();
        deadline.set(now);
        rings.acquire();
        deadline.set(now + DAY);
        assertThat(alarms.getQueue()).hasSize(1);
    }

    @Test
    void one_that_is_cancelled_takes_no_room() {
        deadline.set(System.nanoTime() + DAY);
        deadline.cancel();
        assertThat(alarms.getQueue()).isEmpty();
    }
}
