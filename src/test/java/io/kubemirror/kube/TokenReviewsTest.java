package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import com.sun.net.httpserver.HttpExchange;

import io.kubemirror.kube.ReviewClient.AccessReview;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.testing.ClientLimits;
import io.kubemirror.testing.Results;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reviews that are sent with the token of a client. */
@Timeout(60)
class TokenReviewsTest extends RawServerHarness {

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final String TOKEN = "theirs";
    private static final Permission LIST =
            new Permission.OnResource(Verb.LIST, "", "v1", "pods", "a", "");

    /** Connects to a server with an answer. The credentials of this process are a password. */
    private ReviewClient client(int code, String answer) throws IOException {
        answer(
                exchange -> {
                    exchange.setAttribute(
                            "body", new String(exchange.getRequestBody().readAllBytes(), UTF_8));
                    send(exchange, code, answer);
                });
        String url = url().replace("//", "//root:hunter2@");
        return new ReviewClient(UpstreamSamples.client(url, ClientLimits.usual("1.2.3")));
    }

    @Test
    void review_has_the_token_of_the_client_and_none_of_our_credentials() throws Exception {
        ReviewClient client = client(201, "{\"status\": {\"allowed\": true}}");

        assertThat(client.reviewOwner(TOKEN, LIST, LIMIT))
                .isEqualTo(Result.of(Optional.of(new AccessReview(true, ""))));
        HttpExchange sent = request();
        assertThat(sent.getRequestHeaders().get("Authorization")).containsExactly("Bearer theirs");
        assertThat(sent.getRequestURI())
                .hasToString("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
        assertThat(sent.getAttribute("body"))
                .isEqualTo(
                        "{\"apiVersion\":\"authorization.k8s.io/v1\","
                                + "\"kind\":\"SelfSubjectAccessReview\",\"spec\":"
                                + "{\"resourceAttributes\":{\"verb\":\"list\",\"version\":\"v1\","
                                + "\"resource\":\"pods\",\"namespace\":\"a\"}}}");
    }

    @Test
    void token_that_the_server_refuses_has_no_owner() throws Exception {
        ReviewClient client = client(401, "{}");

        assertThat(client.reviewOwner(TOKEN, LIST, LIMIT)).isEqualTo(Result.of(Optional.empty()));
        assertThat(client.owner(TOKEN, LIMIT)).isEqualTo(Result.of(Optional.empty()));
    }

    @Test
    void owner_is_whom_the_server_names() throws Exception {
        ReviewClient client = client(201, "{\"status\": {\"userInfo\": {\"username\": \"anna\"}}}");

        assertThat(Results.value(client.owner(TOKEN, LIMIT)).orElseThrow().name())
                .isEqualTo("anna");
    }

    @Test
    void owner_who_may_not_ask_is_denied() throws Exception {
        ReviewClient client = client(403, "{\"kind\": \"Status\", \"message\": \"no reviews\"}");

        assertThat(client.reviewOwner(TOKEN, LIST, LIMIT))
                .isEqualTo(Result.of(Optional.of(new AccessReview(false, "no reviews"))));
    }

    @Test
    void server_without_reviews_decides_nothing() throws Exception {
        assertThat(Results.failure(client(404, "{}").reviewOwner(TOKEN, LIST, LIMIT)))
                .isInstanceOf(Failure.Refused.class);
    }
}
