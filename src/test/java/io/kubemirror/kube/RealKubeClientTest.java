package io.kubemirror.kube;

import static io.kubemirror.testing.KubeObjects.selection;
import static io.kubemirror.testing.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.Result;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchStream;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.Results;
import io.kubemirror.testing.WatchRequests;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Tests {@link KubeClient} with a real API server, over TLS and HTTP/2. */
@WithApiServer(secure = true)
class RealKubeClientTest {

    private static final Duration LONG = Duration.ofMinutes(5);

    private final ApiServer server;
    private final RestClient client;
    private final String namespace;

    RealKubeClientTest(ApiServer server, RestClient client, TestNamespace namespace) {
        this.server = server;
        this.client = client;
        this.namespace = namespace.name();
    }

    /** By a complete cluster, if one is available. */
    @Test
    void service_account_is_identified_by_audience_token_and_authorized_by_its_role() {
        Assumptions.assumeTrue(
                client.get("/apis/authentication.k8s.io/v1").code() == 200
                        && client.get("/apis/authorization.k8s.io/v1").code() == 200,
                "this server reviews nothing");
        post(
                "/api/v1/namespaces/" + namespace + "/serviceaccounts",
                "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{\"name\":\"reader\"}}");
        ReviewClient reviews = new ReviewClient((KubeClient) server.connect());

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
            ReviewClient reviews, String token, String audience) {
        return reviews.identify(token, List.of(audience), LONG);
    }

    private WatchStream open(ResourceCollection collection, Duration silence) {
        return Results.value(
                server.connect()
                        .watch(
                                WatchRequests.withBookmarks(
                                        collection, null, true, LONG, silence, LONG)));
    }

    /** The lag of a modification is measured by this time. */
    @Test
    void server_dates_creations_and_modifications() {
        // The API server dates no changes of an object that was created without any content.
        server.create(configMap(namespace, "dated").data("a", "0"));
        ResourceCollection collection =
                new ResourceCollection(
                        ServedTypes.CONFIGMAPS,
                        selection(namespace, "", ""),
                        ObjectShape.plain(),
                        Extent.WHOLE);
        try (WatchStream watch = open(collection, LONG)) {
            WatchFrame.Added added = (WatchFrame.Added) watch.next();
            assertThat(watch.next()).isInstanceOf(WatchFrame.Bookmark.class);
            Instant created = Objects.requireNonNull(added.created());
            Instant latest = Objects.requireNonNull(added.changed());
            assertThat(latest).isAfterOrEqualTo(created);

            for (int number = 1; latest.equals(added.changed()); number++) {
                write(number);
                WatchFrame frame = watch.next();
                while (frame instanceof WatchFrame.Bookmark) {
                    frame = watch.next();
                }
                WatchFrame.Modified modified = (WatchFrame.Modified) frame;
                Instant changed = Objects.requireNonNull(modified.changed());
                assertThat(changed).isBetween(latest, Instant.now().plusSeconds(1));
                latest = changed;
            }
        }
    }

    private void write(int number) {
        server.patch(
                ServedTypes.CONFIGMAPS,
                namespace,
                "dated",
                "{\"data\":{\"a\":\"" + number + "\"}}");
    }
}
