package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kubemirror.api.http.AccessControl.AccessDecision;
import io.kubemirror.api.http.GoJson;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.kube.ClientSettings;
import io.kubemirror.kube.KubeClient;
import io.kubemirror.kube.PassThroughApi;
import io.kubemirror.kube.PassThroughApi.CredentialOwner;
import io.kubemirror.kube.PassThroughApi.PassedRequest;
import io.kubemirror.kube.ServerApi;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.kube.UpstreamSettings;
import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.testing.Results;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.ServerAccess;
import io.kubemirror.testing.real.ServerBinaries;
import io.kubemirror.testing.real.WithApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Unauthorized clients get the same message from kubemirror as from a real API server
 * (list-watch.md#st-5).
 */
@WithApiServer
class RefusalMessageTest {

    @TempDir private Path directory;

    @Test
    void forbidden_messages_equal_those_of_the_api_server_byte_for_byte() throws Exception {
        Assumptions.assumeTrue(
                ServerBinaries.find().isPresent(), "only executables read files of ours");
        ServerAccess access = new ServerAccess(directory);
        access.knowTokens("t1");
        access.knowCertificates(TestCertificates.of("nobody", "nobody").certificatePem());
        try (RealApiServer server =
                RealApiServer.start(ServerBinaries.find().orElseThrow(), access)) {
            Source known = client(server, "t1");

            assertThat(refusal(known, "", ""))
                    .isEqualTo(told(Verb.LIST, "", ""))
                    .contains("configmaps is forbidden: User");
            assertThat(refusal(known, "a", "")).isEqualTo(told(Verb.LIST, "a", ""));
            assertThat(refusal(known, "a", "x")).isEqualTo(told(Verb.GET, "a", "x"));
            assertThat(client(server, "t2").as(ServerApi.class).orElseThrow().version())
                    .isEqualTo(
                            Result.failed(new Failure.Refused(StatusErrors.unauthorized(), true)));
        }
    }

    private static String refusal(Source client, String namespace, String name) throws Exception {
        PassedRequest request =
                new PassedRequest(
                        CredentialOwner.KUBEMIRROR,
                        "GET",
                        ServedTypes.CONFIGMAPS.collectionPath(namespace)
                                + (name.isEmpty() ? "" : "/" + name),
                        Map.of("Accept", List.of("application/json")),
                        null,
                        null,
                        Duration.ofSeconds(30));
        try (var answer =
                Results.value(client.as(PassThroughApi.class).orElseThrow().pass(request))) {
            assertThat(answer.code()).isEqualTo(403);
            return new String(answer.body().readAllBytes(), UTF_8);
        }
    }

    private static String told(Verb verb, String namespace, String name) {
        Identity identity = new Identity(ServerAccess.USER, "", List.of(), Map.of());
        Permission permission =
                new Permission.OnResource(verb, "", "v1", "configmaps", namespace, name);
        AccessDecision.Forbidden verdict =
                new AccessDecision.Forbidden(identity, permission, "No policy matched.");
        return new String(GoJson.statusLine(StatusErrors.forbidden(verdict)), UTF_8);
    }

    private Source client(RealApiServer server, String token) throws Exception {
        Path file =
                Files.writeString(
                        directory.resolve("config-" + token),
                        """
                        current-context: x
                        contexts: [{name: x, context: {cluster: c, user: u}}]
                        clusters: [{name: c, cluster: {server: "%s", insecure-skip-tls-verify: true}}]
                        users: [{name: u, user: {token: %s}}]
                        """
                                .formatted(server.url(), token));
        return KubeClient.connect(
                new UpstreamSettings(null, file.toString(), null),
                ProcessEnvironment.ofProcess(),
                ClientSettings.defaults("test"));
    }
}
