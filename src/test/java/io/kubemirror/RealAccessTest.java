package io.kubemirror;

import static io.kubemirror.testground.Manifests.configMap;
import static io.kubemirror.testground.Manifests.widget;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.kube.ClientSettings;
import io.kubemirror.kube.Environment;
import io.kubemirror.kube.KubeClient;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.kube.UpstreamSettings;
import io.kubemirror.mirror.Mirrors;
import io.kubemirror.ops.MirrorsHealthIndicator;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.testground.Access;
import io.kubemirror.testground.Assets;
import io.kubemirror.testground.Follower;
import io.kubemirror.testground.RealApiServer;
import io.kubemirror.testground.Reflection;
import io.kubemirror.testground.ReflectionPlan;
import io.kubemirror.testground.Types;
import io.kubemirror.testground.WithApiServer;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Credentials and rights that come and go at the Kubernetes API server itself: clients do not
 * notice, health tells what is missing, and nothing has to be restarted but the API server, since
 * it lets go on whatever it has admitted once.
 */
@WithApiServer
class RealAccessTest {

    private static final String NAMESPACE = "guarded";

    private static final String NOT_ACCEPTED =
            "HTTP 401 Unauthorized: Unauthorized; the credentials were read anew and not accepted"
                    + " either; check those that kubemirror.upstream names";

    @TempDir private Path served;
    @TempDir private Path own;

    private @Nullable Access access;
    private @Nullable RealApiServer server;

    @BeforeEach
    void start() throws Exception {
        Assumptions.assumeTrue(Assets.find().isPresent(), "only executables read files of ours");
        access = new Access(served);
        access().knowTokens("t1");
        access().knowCertificates(TestCertificates.of("nobody", "nobody").certificatePem());
        access().permitReading(NAMESPACE);
        Files.writeString(own.resolve("token"), "t1");
        server = RealApiServer.start(Assets.find().orElseThrow(), access());
        server().ensureNamespace(NAMESPACE);
        server().create(configMap(NAMESPACE, "a"));
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void a_token_that_is_revoked_and_restored_disturbs_no_client() throws Exception {
        try (Reflection reflection = mirroring(Strategy.AUTO, "{tokenFile: token}")) {
            Follower follower = new Follower(reflection.mirror());
            whileRestarting(reflection, () -> access().knowTokens("other"));

            reflection.restUntilTold("HTTP 401");
            assertThat(problem(reflection)).isEqualTo(NOT_ACCEPTED);
            assertUndisturbed(follower);

            access().knowTokens("t1");
            assertHealed(reflection, follower);
        }
    }

    @Test
    void a_token_file_is_read_again_when_the_token_before_is_worth_nothing_any_more()
            throws Exception {
        try (Reflection reflection = mirroring(Strategy.AUTO, "{tokenFile: token}")) {
            Follower follower = new Follower(reflection.mirror());
            whileRestarting(reflection, () -> access().knowTokens("t2"));

            reflection.restUntilTold("HTTP 401");
            assertThat(problem(reflection)).isEqualTo(NOT_ACCEPTED);
            assertUndisturbed(follower);

            Files.writeString(own.resolve("token"), "t2");
            assertHealed(reflection, follower);
        }
    }

    @Test
    void a_kubeconfig_is_read_again_when_its_token_is_not_accepted() throws Exception {
        try (Reflection reflection = mirroring(Strategy.AUTO, "{token: t1}")) {
            Follower follower = new Follower(reflection.mirror());
            whileRestarting(reflection, () -> access().knowTokens("t2"));

            reflection.restUntilTold("HTTP 401");
            assertThat(problem(reflection)).isEqualTo(NOT_ACCEPTED);

            kubeconfig("{token: t2}");
            assertHealed(reflection, follower);
        }
    }

    @Test
    void a_client_certificate_is_read_again_when_the_one_before_is_not_accepted() throws Exception {
        String user = "{client-certificate: user.crt, client-key: user.key}";
        access().knowCertificates(certified().certificatePem());
        try (Reflection reflection = mirroring(Strategy.AUTO, user)) {
            Follower follower = new Follower(reflection.mirror());
            TestCertificates next = TestCertificates.of(Access.USER, Access.USER);
            String pem = next.certificatePem();
            whileRestarting(reflection, () -> access().knowCertificates(pem));

            reflection.restUntilTold("HTTP 401");
            assertThat(problem(reflection)).isEqualTo(NOT_ACCEPTED);
            assertUndisturbed(follower);

            write(next);
            assertHealed(reflection, follower);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTO", "WATCH_LIST"})
    void a_permission_that_is_withdrawn_and_granted_again_disturbs_no_client(Strategy strategy)
            throws Exception {
        try (Reflection reflection = mirroring(strategy, "{tokenFile: token}")) {
            Follower follower = new Follower(reflection.mirror());
            whileRestarting(reflection, () -> access().permitReading("elsewhere"));

            assertTold(reflection, lack(strategy == Strategy.WATCH_LIST ? "watch" : "list"));
            assertUndisturbed(follower);

            access().permitReading(NAMESPACE);
            assertHealed(reflection, follower);
        }
    }

    private static String lack(String verb) {
        return "cannot "
                + verb
                + " resource \"configmaps\" in API group \"\" in the namespace \"guarded\"";
    }

    @Test
    void a_permission_that_was_missing_from_the_start_is_told_until_it_is_granted()
            throws Exception {
        server().define(Types.WIDGETS);
        server().create(widget(NAMESPACE, "w", 3));
        ReflectionPlan plan = ReflectionPlan.of(Types.WIDGETS);
        try (Reflection reflection = reflecting(plan, "{tokenFile: token}")) {
            reflection.holdWaits();
            assertTold(
                    reflection,
                    "cannot list resource \"widgets\" in API group \"example.com\" at the cluster"
                            + " scope");

            access().permitReading("*");
            restart();
            reflection.letGo();
            reflection.synchronised();
            assertThat(reflection.held()).containsOnlyKeys(NAMESPACE + "/w");
            assertNoProblem(reflection);
        }
    }

    /** The user is named by the server, so its own words are told and nothing twice. */
    private static void assertTold(Reflection reflection, String lack) {
        reflection.restUntilTold(lack);
        assertThat(problem(reflection))
                .startsWith("HTTP 403 Forbidden: ")
                .contains("User \"" + Access.USER + "\" " + lack)
                .containsOnlyOnce(lack)
                .endsWith("; grant kubemirror's user get, list and watch on it");
    }

    /** Meanwhile something changes, which nobody can know. */
    private void assertUndisturbed(Follower follower) {
        follower.readNow();
        assertThat(follower.seen()).isEmpty();
        server().replace(configMap(NAMESPACE, "a").data("k", Instant.now().toString()));
    }

    private void assertHealed(Reflection reflection, Follower follower) {
        server().create(configMap(NAMESPACE, "b"));
        restart();
        reflection.letGo();
        follower.readUntil(reflection.truth());
        assertNoProblem(reflection);
        reflection.stop();
        assertThat(reflection.count(Counter.RESYNCS_BROKEN)).isZero();
    }

    private static void assertNoProblem(Reflection reflection) {
        Awaitility.await()
                .untilAsserted(() -> assertThat(details(reflection).get("problem")).isNull());
    }

    /** Ends the watch, which the server would let go on whatever it has admitted it for. */
    private void whileRestarting(Reflection reflection, Runnable change) {
        reflection.holdWaits();
        server().stop();
        reflection.awaitRest();
        change.run();
        server().start();
    }

    /** A kube-apiserver reads its files of tokens and rights only when it starts. */
    private void restart() {
        server().restart();
    }

    private static String problem(Reflection reflection) {
        return String.valueOf(details(reflection).get("problem"));
    }

    private static Map<?, ?> details(Reflection reflection) {
        Mirrors mirrors = new Mirrors(List.of(reflection.mirror()));
        Object details =
                new MirrorsHealthIndicator(mirrors, Instant::now)
                        .health()
                        .getDetails()
                        .get(reflection.mirror().scope().toString());
        return (Map<?, ?>) Objects.requireNonNull(details);
    }

    private Reflection mirroring(Strategy strategy, String user) throws Exception {
        ReflectionPlan plan =
                ReflectionPlan.of(Types.CONFIGMAPS)
                        .by(strategy)
                        .only(Reflection.namespace(NAMESPACE));
        return reflecting(plan, user).synchronised();
    }

    private Reflection reflecting(ReflectionPlan plan, String user) throws Exception {
        Path file = kubeconfig(user);
        UpstreamSettings settings = new UpstreamSettings(null, file.toString(), null);
        return Reflection.of(
                server(),
                plan.through(
                        _ ->
                                KubeClient.connect(
                                        settings,
                                        Environment.ofProcess(),
                                        ClientSettings.defaults("test"))));
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
                        .formatted(server().url(), user));
    }

    private TestCertificates certified() throws Exception {
        TestCertificates certificates = TestCertificates.of(Access.USER, Access.USER);
        write(certificates);
        return certificates;
    }

    private void write(TestCertificates certificates) throws Exception {
        Files.writeString(own.resolve("user.crt"), certificates.certificatePem());
        Files.writeString(own.resolve("user.key"), certificates.keyPem());
    }

    private Access access() {
        return Objects.requireNonNull(access);
    }

    private RealApiServer server() {
        return Objects.requireNonNull(server);
    }
}
