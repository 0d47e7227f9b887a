package io.kubemirror.feature.access;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.AccessProperties;
import io.kubemirror.kube.ReviewClient;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.source.Failure;
import io.kubemirror.testing.LogLines;
import io.kubemirror.testing.Results;
import io.kubemirror.testing.WaitLimit;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.Test;

class ReviewerTest {

    private static final int AT_A_TIME = 32;

    /** Which differ in one part each, or only in where one part ends. */
    private static final List<Identity> IDENTITIES =
            List.of(
                    new Identity("a", "u", List.of("g", "h"), Map.of("k", List.of("v"))),
                    new Identity("b", "u", List.of("g", "h"), Map.of("k", List.of("v"))),
                    new Identity("a", "w", List.of("g", "h"), Map.of("k", List.of("v"))),
                    new Identity("a", "u", List.of("g"), Map.of("h", List.of("k", "v"))),
                    new Identity("a", "u", List.of("g", "h", "k"), Map.of("v", List.of())),
                    new Identity("a", "u", List.of("g", "h"), Map.of("k", List.of("w"))),
                    new Identity("a", "u", List.of("g", "h"), Map.of()));

    private static final List<Permission> PERMISSIONS =
            List.of(
                    new Permission.OnPath("/version"),
                    new Permission.OnPath("/healthz"),
                    new Permission.OnResource(Verb.GET, "apps", "v1", "deployments", "n", "d"),
                    new Permission.OnResource(Verb.LIST, "apps", "v1", "deployments", "n", "d"),
                    new Permission.OnResource(Verb.GET, "x", "v1", "deployments", "n", "d"),
                    new Permission.OnResource(Verb.GET, "apps", "v2", "deployments", "n", "d"),
                    new Permission.OnResource(Verb.GET, "apps", "v1", "daemonsets", "n", "d"),
                    new Permission.OnResource(Verb.GET, "apps", "v1", "deployments", "m", "d"),
                    new Permission.OnResource(Verb.GET, "apps", "v1", "deployments", "n", "e"));

    private final CountDownLatch asked = new CountDownLatch(AT_A_TIME);
    private final CountDownLatch answered = new CountDownLatch(1);

    @Test
    void unknown_tokens_cannot_flood_the_api_server() throws Exception {
        ScriptedReviews reviews = new ScriptedReviews();
        reviews.before(
                () -> {
                    asked.countDown();
                    WaitLimit.interruptibly(answered::await);
                });
        Reviewer reviewer = reviewer(reviews, task -> Thread.ofVirtual().start(task));
        for (int i = 0; i < AT_A_TIME; i++) {
            String invented = "invented" + i;
            var _ = Thread.ofVirtual().start(new FutureTask<>(() -> reviewer.identify(invented)));
        }
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();

        Failure failure = Results.failure(reviewer.identify("another"));
        assertThat(failure.summary()).isEqualTo("too many access reviews are pending");
        answered.countDown();
    }

    @Test
    void decision_is_shared_only_by_equal_identities_and_permissions() throws Exception {
        ScriptedReviews reviews = new ScriptedReviews();
        Reviewer reviewer = reviewer(reviews);
        int questions = 0;
        for (Identity identity : IDENTITIES) {
            for (Permission permission : PERMISSIONS) {
                questions++;
                var _ = reviewer.review(identity, permission);
                assertThat(reviews.asked()).isEqualTo(questions);
            }
        }
        for (Identity identity : IDENTITIES) {
            for (Permission permission : PERMISSIONS) {
                var _ = reviewer.review(identity, permission);
            }
        }
        assertThat(reviews.asked()).isEqualTo(questions);
    }

    @Test
    void identity_larger_than_the_cache_is_not_kept() throws Exception {
        String large = "x".repeat(10_000_000);
        for (Identity identity :
                List.of(
                        new Identity(large, "", List.of(), Map.of()),
                        new Identity("a", large, List.of(), Map.of()),
                        new Identity("a", "", List.of(large), Map.of()),
                        new Identity("a", "", List.of(), Map.of(large, List.of())),
                        new Identity("a", "", List.of(), Map.of("k", List.of(large))))) {
            assertThat(requestsForTwo(identity)).isEqualTo(2);
        }
        assertThat(requestsForTwo(new Identity("a", "", List.of("b"), Map.of()))).isEqualTo(1);
    }

    private int requestsForTwo(Identity identity) throws InterruptedException {
        ScriptedReviews reviews = new ScriptedReviews();
        reviews.know("token", identity);
        Reviewer reviewer = reviewer(reviews);
        for (int i = 0; i < 2; i++) {
            assertThat(Results.value(reviewer.identify("token"))).contains(identity);
        }
        return reviews.asked();
    }

    @Test
    void failing_reviews_and_their_recovery_are_logged_once() throws Exception {
        ScriptedReviews reviews = new ScriptedReviews();
        Reviewer reviewer = reviewer(reviews);
        try (LogLines log = new LogLines(Reviewer.class)) {
            for (boolean away : List.of(false, true, true, false, false)) {
                reviews.away(away);
                var _ = reviewer.identify("unknown" + reviews.asked());
            }

            List<String> lines = log.messages();
            assertThat(lines).hasSize(2);
            assertThat(lines.getFirst()).startsWith("Access reviews by the API server fail");
            assertThat(lines.getLast()).endsWith("by the API server succeed again");
        }
    }

    /** Creates a reviewer whose caches evict at once. */
    private static Reviewer reviewer(ReviewClient reviews) {
        return reviewer(reviews, Runnable::run);
    }

    private static Reviewer reviewer(ReviewClient reviews, Executor executor) {
        Duration minute = Duration.ofMinutes(1);
        return new Reviewer(
                reviews,
                ScriptedReviews.properties(
                        minute, new AccessProperties.Cache(minute, minute, minute)),
                new SimpleMeterRegistry(),
                executor,
                System::nanoTime);
    }
}
