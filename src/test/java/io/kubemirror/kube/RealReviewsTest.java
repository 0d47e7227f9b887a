package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.kube.ReviewApi.BearerToken;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.source.Result;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.Results;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Tests reviews of a service account's token and permissions by a complete cluster, if one is
 * available.
 */
@WithApiServer(secure = true)
class RealReviewsTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    private final ApiServer server;
    private final RestClient client;
    private final String namespace;

    RealReviewsTest(ApiServer server, RestClient client, TestNamespace namespace) {
        this.server = server;
        this.client = client;
        this.namespace = namespace.name();
    }

    @BeforeEach
    void create() {
        Assumptions.assumeTrue(
                client.get("/apis/authentication.k8s.io/v1").code() == 200
                        && client.get("/apis/authorization.k8s.io/v1").code() == 200,
                "this server reviews nothing");
        post(
                "/api/v1/namespaces/" + namespace + "/serviceaccounts",
                "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{\"name\":\"reader\"}}");
    }

    @Test
    void service_account_is_identified_by_audience_token_and_authorized_by_its_role() {
        ReviewApi reviews = (KubeClient) server.connect();

        assertThat(identify(reviews, "nonsense", "kubemirror"))
                .isEqualTo(Result.of(Optional.empty()));
        String token = token("kubemirror");
        assertThat(identify(reviews, token, "vault")).isEqualTo(Result.of(Optional.empty()));
        Identity reader = Results.value(identify(reviews, token, "kubemirror")).orElseThrow();
        assertThat(reader.name()).isEqualTo("system:serviceaccount:" + namespace + ":reader");
        assertThat(reader.groups()).contains(Identity.AUTHENTICATED);

        permitListing();
        Permission list =
                new Permission.OnResource(Verb.LIST, "", "v1", "configmaps", namespace, "");
        Awaitility.await().until(() -> Results.value(reviews.review(reader, list, LONG)).allowed());
    }

    private String token(String audience) {
        return post(
                        "/api/v1/namespaces/" + namespace + "/serviceaccounts/reader/token",
                        "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\",\"spec\":"
                            + "{\"audiences\":[\""
                                + audience
                                + "\"]}}")
                .json()
                .path("status")
                .path("token")
                .asString("");
    }

    private void permitListing() {
        String roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/" + namespace;
        post(
                roles + "/roles",
                """
                {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role",
                 "metadata":{"name":"reader"},
                 "rules":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["list"]}]}
                """);
        post(
                roles + "/rolebindings",
                """
                {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding",
                 "metadata":{"name":"reader"},
                 "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"reader"},
                 "subjects":[{"kind":"ServiceAccount","name":"reader","namespace":"%s"}]}
                """
                        .formatted(namespace));
    }

    private RestClient.RestResponse post(String path, String body) {
        RestClient.RestResponse reply = client.send("POST", path, body);
        assertThat(reply.code()).as(reply.body()).isEqualTo(201);
        return reply;
    }

    private static Result<Optional<Identity>> identify(
            ReviewApi reviews, String token, String audience) {
        return reviews.identify(new BearerToken(token, List.of(audience)), LONG);
    }
}
