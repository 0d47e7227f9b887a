package io.kubemirror.kube;

import static io.kubemirror.testing.scripted.ServerFault.respond;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.kube.ReviewClient.AccessReview;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.testing.RequestLatch;
import io.kubemirror.testing.Results;
import io.kubemirror.testing.scripted.ReceivedRequest;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.ServerFault;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Tests review requests and how their responses are read. */
class ReviewsTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Permission LIST =
            new Permission.OnResource(Verb.LIST, "", "v1", "pods", "a", "");
    private static final Identity ANNA = new Identity("anna", "", List.of("dev"), Map.of());

    @AutoClose private final ScriptedApiServer server = ScriptedApiServer.create();
    private final ReviewClient reviews =
            new ReviewClient(UpstreamSamples.client(server.url().toString()));

    @Test
    void known_token_returns_the_complete_identity() {
        server.knowToken("t1", "anna", "dev", "ops");

        assertThat(identify("t1"))
                .isEqualTo(
                        Result.of(
                                Optional.of(
                                        new Identity(
                                                "anna",
                                                "uid-of-anna",
                                                List.of("system:authenticated", "dev", "ops"),
                                                Map.of(
                                                        "example.com/origin",
                                                        List.of("scripted"))))));
    }

    @Test
    void token_must_match_one_of_the_requested_audiences() {
        server.knowToken("t1", "anna");
        assertThat(Results.value(identify("t1"))).isPresent();
        assertThat(Results.value(identify("t1", "kubemirror"))).isEmpty();

        server.meanTokensFor("vault", "kubemirror");
        assertThat(Results.value(identify("t1", "other", "kubemirror"))).isPresent();
        assertThat(Results.value(identify("t1", "other"))).isEmpty();
    }

    @Test
    void access_review_contains_identity_and_all_resource_attributes() {
        server.permit("anna", "get deployments.apps shop/web", "get /version");
        Permission get =
                new Permission.OnResource(Verb.GET, "apps", "v1", "deployments", "shop", "web");

        assertThat(review(ANNA, get)).isEqualTo(Result.of(new AccessReview(true, "")));
        assertThat(review(ANNA, new Permission.OnPath("/version")))
                .isEqualTo(Result.of(new AccessReview(true, "")));
        assertThat(review(ANNA, new Permission.OnPath("/apis")))
                .isEqualTo(Result.of(new AccessReview(false, "")));
        String asked = server.requests().next(ReviewsTest::isReview).body();
        assertThat(asked)
                .contains("\"user\":\"anna\"", "\"groups\":[\"dev\"]", "\"version\":\"v1\"");
    }

    @Test
    void access_review_contains_uid_and_extra_fields_of_the_identity() {
        Identity identity = new Identity("anna", "u", List.of(), Map.of("a", List.of("1", "2")));

        review(identity, new Permission.OnPath("/version"));

        assertThat(server.requests().next(ReviewsTest::isReview).body())
                .contains("\"extra\":{\"a\":[\"1\",\"2\"]}", "\"uid\":\"u\"");
    }

    @Test
    void rejected_review_is_a_failure_and_not_a_denial() {
        Status refused = new Status(403, "Forbidden", "no", null);
        server.fault(ReviewsTest::isReview, respond(refused), 2);

        assertThat(identify("t1")).isEqualTo(Result.failed(new Failure.Refused(refused)));
        assertThat(review(ANNA, new Permission.OnPath("/x")))
                .isEqualTo(Result.failed(new Failure.Refused(refused)));
    }

    @Test
    void malformed_review_response_is_a_failure_that_omits_the_token() {
        server.fault(ReviewsTest::isReview, respond(200, "application/json", "{\"t1\""));

        assertThat(identify("t1")).isInstanceOf(Result.Failed.class);
        assertThat(identify("t1").toString()).doesNotContain("t1");
    }

    @Test
    void review_times_out_if_no_response_arrives() {
        RequestLatch late = new RequestLatch();
        server.fault(ReviewsTest::isReview, new ServerFault.Delay(late));

        Result<Optional<Identity>> outcome =
                reviews.identify("t1", List.of(), Duration.ofMillis(50));

        late.open();
        assertThat(Results.failure(outcome)).isInstanceOf(Failure.Unreachable.class);
    }

    /** The credentials of this process are a password. */
    @Test
    void review_of_the_owner_of_a_token_has_it_and_none_of_our_credentials() {
        server.knowToken("t1", "anna");
        server.permit("anna", "list pods a");
        String url = server.url().toString().replace("//", "//root:hunter2@");
        ReviewClient client = new ReviewClient(UpstreamSamples.client(url));

        assertThat(client.reviewOwner("t1", LIST, LONG))
                .isEqualTo(Result.of(Optional.of(new AccessReview(true, ""))));
        ReceivedRequest sent = server.requests().next(ReviewsTest::isReview);
        assertThat(sent.header("Authorization")).isEqualTo("Bearer t1");
        assertThat(sent.path()).isEqualTo("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
        assertThat(sent.body())
                .isEqualTo(
                        "{\"apiVersion\":\"authorization.k8s.io/v1\","
                                + "\"kind\":\"SelfSubjectAccessReview\",\"spec\":"
                                + "{\"resourceAttributes\":{\"verb\":\"list\",\"version\":\"v1\","
                                + "\"resource\":\"pods\",\"namespace\":\"a\"}}}");
        assertThat(Results.value(client.owner("t1", LONG)).orElseThrow().name()).isEqualTo("anna");
    }

    @Test
    void token_that_the_server_refuses_has_no_owner() {
        assertThat(reviews.reviewOwner("t2", LIST, LONG)).isEqualTo(Result.of(Optional.empty()));
        assertThat(reviews.owner("t2", LONG)).isEqualTo(Result.of(Optional.empty()));
    }

    @Test
    void owner_who_may_not_ask_is_denied() {
        Status refused = new Status(403, "Forbidden", "no reviews", null);
        server.fault(ReviewsTest::isReview, respond(refused));

        assertThat(reviews.reviewOwner("t1", LIST, LONG))
                .isEqualTo(Result.of(Optional.of(new AccessReview(false, "no reviews"))));
    }

    @Test
    void server_without_reviews_decides_nothing() {
        server.fault(ReviewsTest::isReview, respond(404, "application/json", "{}"));

        assertThat(Results.failure(reviews.reviewOwner("t1", LIST, LONG)))
                .isInstanceOf(Failure.Refused.class);
    }

    private Result<Optional<Identity>> identify(String token, String... audiences) {
        return reviews.identify(token, List.of(audiences), LONG);
    }

    private Result<AccessReview> review(Identity identity, Permission permission) {
        return reviews.review(identity, permission, LONG);
    }

    private static boolean isReview(ReceivedRequest request) {
        return request.path().endsWith("reviews");
    }
}
