package io.kubemirror.feature.access;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.AccessProperties;
import io.kubemirror.source.Result;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ReviewCacheTest {

    private static final Result<String> YES = Result.of("yes");

    /** Nothing is cached, so a request that joins no other asks again. */
    private final ReviewCache<String> cache =
            new ReviewCache<>(
                    new AccessProperties.Cache(Duration.ZERO, Duration.ZERO, Duration.ZERO),
                    _ -> true,
                    task -> Thread.ofVirtual().start(task),
                    System::nanoTime);

    private final AtomicInteger asked = new AtomicInteger();
    private final CountDownLatch answered = new CountDownLatch(1);

    @Test
    void concurrent_requests_for_the_same_key_share_one_review() throws Exception {
        FutureTask<Result<String>> first = new FutureTask<>(() -> cache.get("a", this::ask));
        FutureTask<Result<String>> second = new FutureTask<>(() -> cache.get("a", this::ask));
        Thread waiting = Thread.ofVirtual().start(first);
        awaitWaiting(waiting);
        Thread joining = Thread.ofVirtual().start(second);
        awaitWaiting(joining);
        answered.countDown();

        assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo(YES);
        assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(YES);
        assertThat(asked).hasValue(1);
        assertThat(cache.get("a", this::ask)).isEqualTo(YES);
        assertThat(asked).as("later").hasValue(2);
    }

    @Test
    void interrupted_request_does_not_cancel_the_shared_review() throws Exception {
        FutureTask<Result<String>> first = new FutureTask<>(() -> cache.get("a", this::ask));
        FutureTask<Result<String>> second = new FutureTask<>(() -> cache.get("a", this::ask));
        Thread impatient = Thread.ofVirtual().start(first);
        awaitWaiting(impatient);
        Thread patient = Thread.ofVirtual().start(second);
        awaitWaiting(patient);
        impatient.interrupt();
        impatient.join();
        answered.countDown();

        assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(YES);
        assertThat(asked).hasValue(1);
    }

    /**
     * Of two questions about the same, an old yes could otherwise be remembered after a new no. So
     * one that is under way is never forgotten, whatever else is asked.
     */
    @Test
    void running_review_is_never_evicted() throws Exception {
        ReviewCache<String> few =
                new ReviewCache<>(
                        new AccessProperties.Cache(
                                Duration.ofHours(1), Duration.ofHours(1), Duration.ofHours(1)),
                        _ -> true,
                        task -> Thread.ofVirtual().start(task),
                        System::nanoTime);
        FutureTask<Result<String>> first = new FutureTask<>(() -> few.get("a", this::ask));
        awaitWaiting(Thread.ofVirtual().start(first));
        for (int other = 0; other < 2 * ReviewCache.MAX_ENTRIES; other++) {
            few.get("other-" + other, () -> YES);
        }
        FutureTask<Result<String>> second = new FutureTask<>(() -> few.get("a", this::ask));
        awaitWaiting(Thread.ofVirtual().start(second));
        answered.countDown();

        assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(YES);
        assertThat(asked).hasValue(1);
    }

    private static void awaitWaiting(Thread thread) {
        Awaitility.await().until(() -> thread.getState() == Thread.State.WAITING);
    }

    private Result<String> ask() {
        asked.incrementAndGet();
        try {
            answered.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        return YES;
    }
}
