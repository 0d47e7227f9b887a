package io.kubemirror.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.Identity;
import io.kubemirror.upstream.BearerToken;
import io.kubemirror.upstream.Result;
import io.kubemirror.upstream.ReviewApi;
import io.kubemirror.upstream.ReviewApi.AccessReview;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

class ReviewerTest {

    private static final int AT_A_TIME = 32;

    private final CountDownLatch asked = new CountDownLatch(AT_A_TIME);
    private final CountDownLatch answered = new CountDownLatch(1);

    @Test
    void who_invents_tokens_cannot_flood_the_api_server() throws Exception {
        Reviewer reviewer =
                new Reviewer(
                        new Slow(),
                        Duration.ofMillis(50),
                        new AccessMeters(new SimpleMeterRegistry()));
        for (int i = 0; i < AT_A_TIME; i++) {
            var _ = Thread.ofVirtual().start(() -> reviewer.identify(token()));
        }
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();

        assertThat(reviewer.identify(token()))
                .isEqualTo(new Authentication.Unavailable("too many reviews are waiting"));
        answered.countDown();
    }

    private static BearerToken token() {
        return new BearerToken("invented", List.of());
    }

    /** Answers when the test says so. */
    private final class Slow implements ReviewApi {

        @Override
        public Result<Optional<Identity>> identify(TokenQuestion question) {
            asked.countDown();
            try {
                answered.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
            return Result.of(Optional.empty());
        }

        @Override
        public Result<AccessReview> review(AccessQuestion question) {
            return Result.of(new AccessReview(false, ""));
        }
    }
}
