package io.kubemirror.api.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.api.http.AccessControl.AccessDecision;
import io.kubemirror.api.http.GoJson;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Status;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.ServerAccess;
import io.kubemirror.testing.real.ServerBinaries;
import io.kubemirror.testing.real.WithApiServer;

import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.mock.web.MockHttpServletRequest;

/**
 * Compares the authorization attributes of every form of path with those that a real API server
 * computes. The message to a user without permissions names verb, resource, subresource, group,
 * namespace, and name, or the path (list-watch.md#st-5).
 */
@WithApiServer
class RealAuthorizationTest {

    private static final List<String> TARGETS =
            List.of(
                    "/api/v1/namespaces",
                    "/api/v1/namespaces?watch=1",
                    "/api/v1/namespaces?fieldSelector=metadata.name%3Da",
                    "/api/v1/namespaces?watch=1&fieldSelector=metadata.name%3Da",
                    "/api/v1/watch/namespaces",
                    "/api/v1/watch/namespaces?fieldSelector=metadata.name%3Da",
                    "/api/v1/watch/namespaces/a",
                    "/api/v1/watch/namespaces/a/status",
                    "/api/v1/namespaces/a",
                    "/api/v1/namespaces/a/",
                    "/api/v1/namespaces/a?watch=1",
                    "/api/v1/namespaces/status",
                    "/api/v1/namespaces/a/status",
                    "/api/v1/namespaces/a/finalize",
                    "/api/v1/namespaces/a/status/x/y",
                    "/api/v1/namespaces/a/namespaces",
                    "/api/v1/namespaces/a/namespaces/b",
                    "/api/v1/namespaces/a/namespaces?fieldSelector=metadata.name%3Db",
                    "/apis/apps/v1/namespaces",
                    "/apis/apps/v1/namespaces/a",
                    "/apis/apps/v1/namespaces/a/status",
                    "/api/v1/pods",
                    "/api/v1/pods/",
                    "/api/v1/pods//",
                    "//api/v1/pods",
                    "/api/v1/pods?watch",
                    "/api/v1/pods?watch=false",
                    "/api/v1/pods?watch=False",
                    "/api/v1/pods?watch=0",
                    "/api/v1/pods?watch=f",
                    "/api/v1/pods?watch=0&watch=1",
                    "/api/v1/pods?watch=1&limit=x",
                    "/api/v1/namespaces/a/pods",
                    "/api/v1/namespaces/a/pods?watch=1",
                    "/api/v1/namespaces/a/pods/x",
                    "/api/v1/namespaces/a/pods/x?watch=1",
                    "/api/v1/namespaces/a/pods/x?fieldSelector=metadata.name%3Db",
                    "/api/v1/namespaces/a/pods/x/log",
                    "/api/v1/namespaces/a/pods/x/status",
                    "/api/v1/namespaces/a/pods/x/proxy/y/z",
                    "/api/v1/namespaces/a/pods/x//log",
                    "/api/v1/pods/x/log",
                    "/api/v1/nodes/n",
                    "/api/v1/nodes/n/status",
                    "/api/v1/nodes?fieldSelector=metadata.name%3Dn",
                    "/api/v1/watch/pods",
                    "/api/v1/watch/pods?watch=0",
                    "/api/v1/watch/pods/x",
                    "/api/v1/watch/namespaces/a/pods",
                    "/api/v1/watch/namespaces/a/pods?fieldSelector=metadata.name%3Db",
                    "/api/v1/watch/namespaces/a/pods/x",
                    "/api/v1/watch/namespaces/a/pods/x/log",
                    "/api/v1/proxy/nodes/n",
                    "/apis/apps/v1/deployments",
                    "/apis/apps/v1/deployments?watch=1&fieldSelector=metadata.name%3Dd",
                    "/apis/apps/v1/namespaces/a/deployments",
                    "/apis/apps/v1/namespaces/a/deployments/d",
                    "/apis/apps/v1/namespaces/a/deployments/d/scale",
                    "/apis/apps/v1/watch/deployments",
                    "/apis/apps/v1/watch/namespaces/a/deployments/d",
                    "/apis/example.com/v1/widgets/w/status",
                    "/api/v1/pods?fieldSelector=metadata.name%3D%3Db",
                    "/api/v1/pods?fieldSelector=metadata.name%21%3Db",
                    "/api/v1/pods?fieldSelector=metadata.name%3D",
                    "/api/v1/pods?fieldSelector=metadata.name%3Db%2Cspec.nodeName%3Dn",
                    "/api/v1/pods?fieldSelector=metadata.name%3Db%2Cmetadata.name%3Dc",
                    "/api/v1/pods?fieldSelector=metadata.name%3Dc%2Cmetadata.name%3Db",
                    "/api/v1/pods?fieldSelector=metadata.name%3D%2Cmetadata.name%3Db",
                    "/api/v1/pods?fieldSelector=metadata.name%21%3Da%2Cmetadata.name%3Db",
                    "/api/v1/pods?fieldSelector=metadata.name%3Db&fieldSelector=metadata.name%3Dc",
                    "/api/v1/pods?fieldSelector=metadata.name%3Db%2Fc",
                    "/api/v1/pods?fieldSelector=metadata.name%3Db%25",
                    "/api/v1/pods?fieldSelector=metadata.name%3D.",
                    "/api/v1/pods?fieldSelector=metadata.name%3D..",
                    "/api/v1/pods?fieldSelector=metadata.name%3DB_",
                    "/api/v1/pods?fieldSelector=metadata.namespace%3Da",
                    "/api/v1/pods?fieldSelector=nonsense",
                    "/api/v1/pods?fieldSelector=metadata.name%3Db%2Cnonsense",
                    "/api/v1/pods?fieldSelector=metadata.name%3Db&limit=x",
                    "/api/v1/pods?fieldSelector=metadata.name%3Db&timeoutSeconds=x",
                    "/api/v1/pods?fieldSelector=metadata.name%3Db&labelSelector=%21%21",
                    "/api/v1/pods?fieldSelector=metadata.name%3Db&sendInitialEvents=x",
                    "/api/v1/pods?fieldSelector=metadata.name%3Db&resourceVersion=x",
                    "/api/v1/pods?fieldSelector=metadata.name%3Db&continue=x",
                    "/api/v1//pods",
                    "/api/v1/namespaces//pods",
                    "/api//v1/pods",
                    "/apis//v1",
                    "/apis/apps//v1",
                    "/api/v1/namespaces/a/pods/x%2Fy",
                    "/api/v1/namespaces%2fa%2fpods",
                    "/api/v1/namespaces/a%25/pods",
                    "/api/v1/namespaces/a/pods/x%25",
                    "/api/v1/namespaces/a/pods/%20",
                    "/%61pi/v1/nodes/n1",
                    "/api",
                    "/api/",
                    "/api/v1",
                    "/apis",
                    "/apis/apps",
                    "/apis/apps/",
                    "/apis/apps/v1",
                    "/apis/apps/v1/",
                    "/version",
                    "/version/",
                    "/healthz",
                    "/livez/ping",
                    "/openapi/v3/apis/apps/v1",
                    "/metrics",
                    "/x/y",
                    "/x%3B%25",
                    "/");

    @TempDir private Path directory;

    @Test
    void authorization_attributes_are_like_api_server() throws Exception {
        Assumptions.assumeTrue(
                ServerBinaries.find().isPresent(), "only executables read files of ours");
        ServerAccess access = new ServerAccess(directory);
        access.knowTokens("t1");
        access.knowCertificates(TestCertificates.of("nobody", "nobody").certificatePem());
        access.permitNothing();
        try (RealApiServer server =
                RealApiServer.start(ServerBinaries.find().orElseThrow(), access)) {
            RestClient client = server.client().withToken("t1");
            SoftAssertions all = new SoftAssertions();
            for (String target : TARGETS) {
                // Since 1.37, reasons begin with the authorizer, those of access reviews, too.
                String body = client.get(target).body().replace(": abac: ", ": ");
                all.assertThat(told(target)).as(target).isEqualTo(body);
            }
            all.assertThat(client.withToken("t2").get("/version").body())
                    .isEqualTo(line(StatusErrors.unauthorized()));
            all.assertAll();
        }
    }

    private static String told(String target) {
        int query = target.indexOf('?');
        String path = query < 0 ? target : target.substring(0, query);
        MockHttpServletRequest request = new MockHttpServletRequest("GET", path);
        request.setQueryString(query < 0 ? null : target.substring(query + 1));
        Identity identity = new Identity(ServerAccess.USER, "", List.of(), Map.of());
        AccessDecision.Forbidden verdict =
                new AccessDecision.Forbidden(
                        identity, PermissionReader.of(request), "No policy matched.");
        return line(StatusErrors.forbidden(verdict));
    }

    private static String line(Status status) {
        return new String(GoJson.statusLine(status), UTF_8);
    }
}
