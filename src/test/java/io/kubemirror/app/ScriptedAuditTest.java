package io.kubemirror.app;

import static io.kubemirror.testing.KubeObjects.revision;
import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;
import static io.kubemirror.testing.scripted.ServerFault.delay;
import static io.kubemirror.testing.scripted.ServerFault.onList;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.RequestLatch;
import io.kubemirror.testing.scripted.ReceivedRequest;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.node.ObjectNode;

/**
 * Tests what audits find and what they must not find (list-watch.md#ca-6), with everything real
 * except the server.
 */
class ScriptedAuditTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int ROUNDS = 25;

    @AutoClose private final ScriptedApiServer server = ScriptedApiServer.create();

    /** In each round the audit is held up on one of its pages while the mirror moves on. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void audit_reports_no_difference_for_a_consistent_mirror_under_load(long seed)
            throws Exception {
        Random random = new Random(seed);
        Strategy[] strategies = Strategy.values();
        Strategy strategy = strategies[random.nextInt(strategies.length)];
        // Enough for three pages, whatever else comes and goes.
        for (int i = 0; i < 5; i++) {
            server.create(pod("a", "stays-" + i));
        }
        try (ReflectorFixture fixture = ReflectorFixture.of(server, PODS, strategy).synced()) {
            for (int round = 0; round < ROUNDS; round++) {
                live(random, fixture);
                boolean later = random.nextBoolean();
                RequestLatch requestLatch = new RequestLatch();
                server.fault(onPage(later), delay(requestLatch));
                CompletableFuture<Void> audit = CompletableFuture.runAsync(fixture::audit);
                requestLatch.awaitArrival();
                live(random, fixture);
                requestLatch.open();
                audit.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                assertThat(fixture.count(Counter.AUDITS_DIFFERENT))
                        .as("seed %d, round %d", seed, round)
                        .isZero();
            }
            new FoldingWatcher(fixture.mirror()).readUntil(fixture.truth());

            long consistent = fixture.count(Counter.AUDITS_CONSISTENT);
            long expired = fixture.count(Counter.AUDITS_FAILED);
            assertThat(consistent + expired).as("seed %d", seed).isEqualTo(ROUNDS);
            assertThat(consistent).as("seed %d", seed).isPositive();
        }
    }

    private static Predicate<ReceivedRequest> onPage(boolean later) {
        return onList(PODS).and(request -> later != request.parameter("continue").isEmpty());
    }

    /** Makes some changes and waits until the mirror has them. */
    private void live(Random random, ReflectorFixture fixture) throws InterruptedException {
        int changes = random.nextInt(6);
        for (int i = 0; i < changes; i++) {
            change(random, "p" + random.nextInt(4));
        }
        // A last change, so that the present watch has brought something and is reopened at once.
        ObjectNode last = server.label(PODS, "a", "stays-0", "turn", "t" + random.nextInt());
        awaitRevision(fixture, JsonTrees.revision(last));
        if (random.nextInt(4) == 0) {
            server.awaitWatch(PODS).cut();
        }
        if (random.nextInt(6) == 0) {
            server.compact();
        }
    }

    private void change(Random random, String name) {
        boolean exists =
                server.objects(PODS).stream()
                        .anyMatch(pod -> pod.at("/metadata/name").asString().equals(name));
        if (!exists) {
            server.create(pod("a", name));
        } else if (random.nextBoolean()) {
            server.label(PODS, "a", name, "turn", "t" + random.nextInt());
        } else {
            server.delete(PODS, "a", name);
        }
    }

    private static void awaitRevision(ReflectorFixture fixture, long revision)
            throws InterruptedException {
        assertThat(fixture.mirror().await(revision(revision), LIMIT)).isTrue();
    }
}
