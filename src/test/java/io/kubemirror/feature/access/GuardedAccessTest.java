package io.kubemirror.feature.access;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.AccessControl.AccessDecision;
import io.kubemirror.api.http.RequestCredentials.Credentials;
import io.kubemirror.app.AccessProperties;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.Test;

/** Tests how long decisions by reviews are valid, and what happens while reviews fail. */
class GuardedAccessTest {

    private static final Permission LIST =
            new Permission.OnResource(Verb.LIST, "", "v1", "pods", "", "");
    private static final Duration ALLOWED = Duration.ofMinutes(1);
    private static final Duration DENIED = Duration.ofSeconds(10);
    private static final Duration GRACE = Duration.ofMinutes(5);

    private final ScriptedReviews reviews = new ScriptedReviews();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicLong now = new AtomicLong();
    private final GuardedAccess access =
            reviews.access(
                    new AccessProperties.Cache(ALLOWED, DENIED, GRACE),
                    Duration.ofMinutes(1),
                    registry,
                    Runnable::run,
                    now::get);

    @Test
    void access_decisions_are_cached_until_they_expire() throws Exception {
        admitAnna();
        reviews.forbid("anna");
        int asked = reviews.asked();

        assertAfter(ALLOWED.minusSeconds(1), AccessDecision.Admitted.class);
        assertThat(reviews.asked()).isEqualTo(asked);

        assertAfter(Duration.ofSeconds(1), AccessDecision.Forbidden.class);

        reviews.permit("anna");
        assertAfter(DENIED.minusSeconds(1), AccessDecision.Forbidden.class);
        assertAfter(Duration.ofSeconds(1), AccessDecision.Admitted.class);
    }

    @Test
    void revoked_token_is_rejected_after_its_cache_time() throws Exception {
        admitAnna();
        reviews.forget("t1");

        assertAfter(ALLOWED, AccessDecision.Unauthenticated.class);
        reviews.away(true);
        pass(DENIED);
        assertThat(check("t1"))
                .as("no grace for it")
                .isInstanceOf(AccessDecision.Unavailable.class);
    }

    @Test
    void cached_decisions_remain_valid_for_the_grace_period_during_an_outage() throws Exception {
        admitAnna();
        reviews.away(true);

        assertAfter(ALLOWED.plus(GRACE).minusSeconds(1), AccessDecision.Admitted.class);
        assertThat(check("t2")).isEqualTo(new AccessDecision.Unavailable("connection refused"));

        assertAfter(Duration.ofSeconds(1), AccessDecision.Unavailable.class);

        reviews.away(false);
        assertAfter(Duration.ofSeconds(1), AccessDecision.Admitted.class);
    }

    @Test
    void unreachable_api_server_is_not_queried_for_every_request() throws Exception {
        reviews.away(true);
        for (int i = 0; i < 10; i++) {
            assertThat(check("t1")).isInstanceOf(AccessDecision.Unavailable.class);
        }

        assertThat(reviews.asked()).isEqualTo(1);
    }

    @Test
    void decisions_and_reviews_are_counted() throws Exception {
        admitAnna();
        check("t1");
        check("t2");

        assertThat(
                        registry.get("kubemirror.access.reviews")
                                .tags("review", "token", "outcome", "no")
                                .counter()
                                .count())
                .isEqualTo(1);
    }

    private void admitAnna() throws InterruptedException {
        reviews.know("t1", "anna");
        reviews.permit("anna");
        assertThat(check("t1")).isInstanceOf(AccessDecision.Admitted.class);
    }

    private void assertAfter(Duration time, Class<? extends AccessDecision> decision)
            throws InterruptedException {
        pass(time);
        assertThat(check("t1")).isInstanceOf(decision);
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private AccessDecision check(String token) throws InterruptedException {
        return access.check(new Credentials(token, List.of()), LIST);
    }
}
