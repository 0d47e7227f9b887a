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
import io.kubemirror.testing.TestFiles;
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
            for (String target : TestFiles.lines("api/server/targets.txt")) {
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
