package io.kubemirror.feature.access;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import com.github.benmanes.caffeine.cache.Ticker;

import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Unreachable.Kind;
import io.kubemirror.source.Result;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReviewCacheTest {

    private static final Result<String> YES = Result.of("yes");

    /** Nothing is cached, so a request that joins no other asks again. */
    private final ReviewCache<String> cache =
            new ReviewCache<>(
                    new AccessProperties.Cache(Duration.ZERO, Duration.ZERO, Duration.ZERO, 10),
                    1 << 20,
                    _ -> true,
                    String::length,
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
                                Duration.ofHours(1), Duration.ofHours(1), Duration.ofHours(1), 10),
                        1 << 20,
                        _ -> true,
                        String::length,
                        task -> Thread.ofVirtual().start(task),
                        System::nanoTime);
        FutureTask<Result<String>> first = new FutureTask<>(() -> few.get("a", this::ask));
        awaitWaiting(Thread.ofVirtual().start(first));
        for (int round = 0; round < 100; round++) {
            for (int other = 0; other < 100; other++) {
                few.get("other-" + other, () -> YES);
            }
        }
        FutureTask<Result<String>> second = new FutureTask<>(() -> few.get("a", this::ask));
        awaitWaiting(Thread.ofVirtual().start(second));
        answered.countDown();

        assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(YES);
        assertThat(asked).hasValue(1);
    }

    /** Otherwise a client that may read in 250 namespaces would wait as many times. */
    @Test
    void known_results_do_not_wait_after_a_timeout() throws Exception {
        AtomicLong now = new AtomicLong();
        ReviewCache<String> known = known(now::get);
        now.addAndGet(1);
        fails(known, "a", Kind.SILENT);

        assertThat(known.get("b", ReviewCacheTest::unasked)).isEqualTo(YES);
        assertThat(known.get("new", () -> Result.of("asked"))).isEqualTo(Result.of("asked"));
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(known.get("b", () -> Result.of("asked"))).isEqualTo(Result.of("asked"));
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SILENT"})
    void failure_without_delay_of_one_review_changes_nothing_for_others(Kind kind)
            throws Exception {
        AtomicLong now = new AtomicLong();
        ReviewCache<String> known = known(now::get);
        now.addAndGet(1);
        fails(known, "a", kind);

        assertThat(known.get("b", () -> Result.of("asked"))).isEqualTo(Result.of("asked"));
    }

    /** Has two results, which are used only if the server does not answer. */
    private static ReviewCache<String> known(Ticker ticker) throws InterruptedException {
        ReviewCache<String> known =
                new ReviewCache<>(
                        new AccessProperties.Cache(
                                Duration.ofNanos(1), Duration.ZERO, Duration.ofHours(1), 10),
                        1 << 20,
                        _ -> true,
                        String::length,
                        Runnable::run,
                        ticker);
        known.get("a", () -> YES);
        known.get("b", () -> YES);
        return known;
    }

    private static void fails(ReviewCache<String> cache, String key, Kind kind)
            throws InterruptedException {
        assertThat(cache.get(key, () -> Result.failed(new Failure.Unreachable("away", kind))))
                .isEqualTo(YES);
    }

    private static Result<String> unasked() {
        throw new AssertionError("the API server is asked");
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
