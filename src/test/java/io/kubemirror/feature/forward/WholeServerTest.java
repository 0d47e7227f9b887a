package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * What only a whole kube-apiserver has: roles, tokens of service accounts, and admission. Clients
 * see the same through kubemirror.
 */
@WithApiServer(secure = true, own = true)
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(120)
class WholeServerTest {

    private static final String RBAC = "/apis/rbac.authorization.k8s.io/v1";
    private static final String ADMISSION = "/apis/admissionregistration.k8s.io/v1";

    private final String namespace;
    private final RestClient direct;
    @AutoClose private final ConfigurableApplicationContext kubemirror;
    private final RestClient client;

    WholeServerTest(ApiServer server, TestNamespace space, @TempDir Path directory)
            throws IOException {
        namespace = space.name();
        direct = server.client();
        assumeThat(direct.get(ADMISSION).code()).as("a server with admission").isEqualTo(200);
        Path file = directory.resolve("kubeconfig");
        Files.writeString(file, server.kubeconfig().orElseThrow());
        kubemirror =
                ApplicationLauncher.with(
                        ApiServer.SERVER,
                        "kubemirror.upstream.kubeconfig=" + file,
                        "kubemirror.resources[0].resource=configmaps",
                        "kubemirror.pass-through.mode=client",
                        "kubemirror.access.cache.allowed=1s");
        client = ApplicationLauncher.ready(kubemirror).withToken(server.token());
    }

    @BeforeAll
    void grant() {
        create(
                roles("roles"),
                """
                {"metadata":{"name":"reader"},"rules":[
                 {"apiGroups":[""],"resources":["configmaps"],"verbs":["list"]}]}
                """);
        create(
                roles("rolebindings"),
                """
                {"metadata":{"name":"reader"},
                 "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"reader"},
                 "subjects":[{"kind":"ServiceAccount","name":"reader","namespace":"%s"}]}
                """
                        .formatted(namespace));
    }

    private String roles(String plural) {
        return RBAC + "/namespaces/" + namespace + "/" + plural;
    }

    private String core(String rest) {
        return "/api/v1/namespaces/" + namespace + "/" + rest;
    }

    private void create(String collection, String body) {
        direct.write("POST", collection, body);
    }

    /** Creates a service account, and returns the token that the server gives it. */
    private String serviceAccount(String name) {
        create(core("serviceaccounts"), "{\"metadata\":{\"name\":\"" + name + "\"}}");
        return client.write("POST", core("serviceaccounts/" + name + "/token"), "{}")
                .at("/status/token")
                .asString();
    }

    @Test
    void role_decides_what_a_service_account_reads_from_the_mirror() {
        String own = serviceAccount("reader");
        RestClient account = client.withToken(own);
        WaitLimit.until(() -> direct.withToken(own).get(core("configmaps")).code() == 200);

        RestResponse permitted = account.get(core("configmaps"));
        assertThat(permitted.code()).isEqualTo(200);
        assertThat(permitted.header("kubemirror-state")).isEqualTo("synced");
        for (String denied : List.of("/api/v1/configmaps", core("configmaps/x"), core("secrets"))) {
            assertSame(account.get(denied), direct.withToken(own).get(denied), 403);
        }

        direct.write("DELETE", core("serviceaccounts/reader"), null);
        WaitLimit.until(() -> account.get(core("configmaps")).code() == 401);
    }

    /** The answer is that of the server, with the same Status. */
    private static void assertSame(RestResponse answer, RestResponse expected, int code) {
        assertThat(expected.code()).as("%s", expected.body()).isEqualTo(code);
        assertThat(answer.code()).as("%s", answer.body()).isEqualTo(code);
        assertThat(JsonTrees.parse(answer.body())).isEqualTo(JsonTrees.parse(expected.body()));
    }
}
