package io.kubemirror.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.access.AccessProperties.AuthenticationMethod;
import io.kubemirror.access.AccessProperties.AuthorizationMode;
import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.testing.Results;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.Result;
import io.kubemirror.upstream.ReviewApi;
import io.kubemirror.upstream.ReviewApi.AccessReview;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

class ReviewerTest {

    private static final int AT_A_TIME = 32;

    private final CountDownLatch asked = new CountDownLatch(AT_A_TIME);
    private final CountDownLatch answered = new CountDownLatch(1);

    @Test
    void unknown_tokens_cannot_flood_the_api_server() throws Exception {
        Reviewer reviewer = reviewer();
        for (int i = 0; i < AT_A_TIME; i++) {
            Credentials invented = new Credentials("invented" + i, List.of());
            var _ = Thread.ofVirtual().start(() -> identify(reviewer, invented));
        }
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();

        Failure failure = Results.failure(reviewer.identify(new Credentials("another", List.of())));
        assertThat(failure.summary()).isEqualTo("too many access reviews are pending");
        answered.countDown();
    }

    private Reviewer reviewer() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        Duration minute = Duration.ofMinutes(1);
        return new Reviewer(
                new AccessProperties(
                        List.of(AuthenticationMethod.TOKEN_REVIEW),
                        AuthorizationMode.ACCESS_REVIEW,
                        List.of(),
                        null,
                        Duration.ofMillis(50),
                        minute,
                        new AccessProperties.Cache(minute, minute, minute, 100)),
                new AccessControl.Dependencies(
                        new Slow(),
                        registry,
                        task -> Thread.ofVirtual().start(task),
                        InstantSource.system(),
                        System::nanoTime,
                        MemoryBudget.unlimited()),
                new TokenHasher(),
                new AccessMeters(registry));
    }

    private static void identify(Reviewer reviewer, Credentials credentials) {
        try {
            var _ = reviewer.identify(credentials);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /** Answers when the test says so. */
    private final class Slow implements ReviewApi {

        @Override
        public Result<Optional<Identity>> identify(BearerToken token, Duration limit) {
            asked.countDown();
            try {
                answered.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
            return Result.of(Optional.empty());
        }

        @Override
        public Result<AccessReview> review(
                Identity identity, Permission permission, Duration limit) {
            return Result.of(new AccessReview(false, ""));
        }
    }
}
