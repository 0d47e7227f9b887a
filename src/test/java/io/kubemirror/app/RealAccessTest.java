package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.configMap;
import static io.kubemirror.testing.Manifests.widget;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.kube.TestCertificates;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.ReflectorFixturePlan;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.ServerAccess;
import io.kubemirror.testing.real.ServerBinaries;
import io.kubemirror.testing.real.WithApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Credentials and permissions are revoked and granted at a real API server: clients do not notice,
 * health reports what is missing, and kubemirror is never restarted. The API server is, because it
 * does not end requests that it has already authorized.
 */
@WithApiServer
class RealAccessTest {

    private static final String NAMESPACE = "guarded";

    private static final String NOT_ACCEPTED =
            "HTTP 401 Unauthorized: Unauthorized; check the credentials that kubemirror.upstream"
                    + " refers to";

    private final Path own;
    private final ServerAccess access;
    @AutoClose private final RealApiServer server;

    RealAccessTest(@TempDir Path served, @TempDir Path own) throws Exception {
        this.own = own;
        Assumptions.assumeTrue(
                ServerBinaries.find().isPresent(), "only executables read files of ours");
        access = new ServerAccess(served);
        access.knowTokens("t1");
        access.knowCertificates(TestCertificates.of("nobody", "nobody").certificatePem());
        access.permitReading(NAMESPACE);
        Files.writeString(own.resolve("token"), "t1");
        server = RealApiServer.start(ServerBinaries.find().orElseThrow(), access);
        server.ensureNamespace(NAMESPACE);
        server.create(configMap(NAMESPACE, "a"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{tokenFile: token}",
                "{token: t1}",
                "{client-certificate: user.crt, client-key: user.key}"
            })
    void credentials_are_read_again_after_their_rejection(String user) throws Exception {
        access.knowCertificates(certified().certificatePem());
        ReflectorFixturePlan plan =
                ReflectorFixturePlan.of(ServedTypes.CONFIGMAPS)
                        .only(ReflectorFixture.namespace(NAMESPACE));
        try (ReflectorFixture fixture = reflecting(plan, user).synced()) {
            FoldingWatcher follower = new FoldingWatcher(fixture.mirror());
            TestCertificates next = TestCertificates.of(ServerAccess.USER, ServerAccess.USER);
            // The server does not end a watch that it has already authorized.
            fixture.holdWaits();
            server.stop();
            fixture.awaitRest();
            access.knowTokens("t2");
            access.knowCertificates(next.certificatePem());
            server.start();
            fixture.pauseUntilReported("HTTP 401");

            assertThat(problem(fixture)).isEqualTo(NOT_ACCEPTED);
            follower.readNow();
            assertThat(follower.seen()).isEmpty();
            // It changes something that kubemirror cannot see.
            server.replace(configMap(NAMESPACE, "a").data("k", Instant.now().toString()));
            Files.writeString(own.resolve("token"), "t2");
            kubeconfig(user.replace("t1", "t2"));
            write(next);
            server.create(configMap(NAMESPACE, "b"));
            server.restart();
            fixture.releaseWaits();
            follower.readUntil(fixture.truth());
            assertNoProblem(fixture);
            fixture.stop();
            assertThat(fixture.count(Counter.RESYNCS_BROKEN)).isZero();
        }
    }

    @Test
    void missing_permission_is_reported_until_it_is_granted() throws Exception {
        server.define(ServedTypes.WIDGETS);
        server.create(widget(NAMESPACE, "w", 3));
        ReflectorFixturePlan plan = ReflectorFixturePlan.of(ServedTypes.WIDGETS);
        try (ReflectorFixture fixture = reflecting(plan, "{tokenFile: token}")) {
            fixture.holdWaits();
            String lack =
                    ("User \"%s\" cannot list resource \"widgets\" in API group"
                                    + " \"example.com\" at the cluster scope")
                            .formatted(ServerAccess.USER);
            fixture.pauseUntilReported(lack);
            // The server names the user. Its message is repeated as it is, without duplicates.
            assertThat(problem(fixture))
                    .startsWith("HTTP 403 Forbidden: ")
                    .containsOnlyOnce(lack)
                    .contains("; grant kubemirror's user get, list and watch on the resource")
                    .endsWith("or mirror only namespaces where it has them");

            access.permitReading("*");
            // A kube-apiserver reads its files of tokens and rights only when it starts.
            server.restart();
            fixture.releaseWaits();
            fixture.synced();
            assertThat(fixture.held()).containsOnlyKeys(NAMESPACE + "/w");
            assertNoProblem(fixture);
        }
    }

    private static void assertNoProblem(ReflectorFixture fixture) {
        Awaitility.await().untilAsserted(() -> assertThat(problem(fixture)).isEmpty());
    }

    private static String problem(ReflectorFixture fixture) {
        return fixture.mirror().upstream().problem();
    }

    private ReflectorFixture reflecting(ReflectorFixturePlan plan, String user) throws Exception {
        String file = kubeconfig(user).toString();
        return ReflectorFixture.of(server, plan.through(_ -> ApiServer.client(null, file)));
    }

    private Path kubeconfig(String user) throws Exception {
        return Files.writeString(
                own.resolve("config"),
                """
                current-context: x
                contexts: [{name: x, context: {cluster: c, user: u}}]
                clusters: [{name: c, cluster: {server: "%s", insecure-skip-tls-verify: true}}]
                users: [{name: u, user: %s}]
                """
                        .formatted(server.url(), user));
    }

    private TestCertificates certified() throws Exception {
        TestCertificates certificates = TestCertificates.of(ServerAccess.USER, ServerAccess.USER);
        write(certificates);
        return certificates;
    }

    private void write(TestCertificates certificates) throws Exception {
        Files.writeString(own.resolve("user.crt"), certificates.certificatePem());
        Files.writeString(own.resolve("user.key"), certificates.keyPem());
    }
}
