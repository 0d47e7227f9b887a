package io.kubemirror.feature.redact;

import static io.kubemirror.testing.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.FieldPath;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.Manifest;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.ReflectorFixturePlan;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;

import java.util.List;

/** Tests updates of nothing but dropped fields. */
class DroppedUpdateTest {

    private static final String APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
    private static final String NAMESPACE = "a";

    private final ScriptedApiServer server = ScriptedApiServer.create();

    @AfterEach
    void stop() {
        server.close();
    }

    /**
     * An update that clients cannot see is not an event, but its revision counts
     * (list-watch.md#ca-4). By event and by list.
     */
    @ParameterizedTest
    @EnumSource
    void update_of_dropped_fields_is_stored_without_an_event(Strategy strategy) {
        server.create(applied("first"));
        try (ReflectorFixture fixture = droppingWhatWasApplied(strategy)) {
            FoldingWatcher follower = new FoldingWatcher(fixture.mirror());
            server.replace(applied("second"));
            fixture.caughtUpWith(server.create(configMap(NAMESPACE, "b")));
            assertThat(fixture.content()).isEqualTo(fixture.truth());

            fixture.holdWaits();
            server.stop();
            fixture.awaitRest();
            server.start();
            server.replace(applied("third"));
            JsonNode last = server.create(configMap(NAMESPACE, "c"));
            server.restart();
            fixture.releaseWaits();

            fixture.caughtUpWith(last);
            assertThat(fixture.content()).isEqualTo(fixture.truth());
            follower.readNow();
            assertThat(follower.seen())
                    .containsExactly("ADDED " + NAMESPACE + "/b", "ADDED " + NAMESPACE + "/c");
            fixture.stop();
            assertThat(fixture.count(Counter.EVENTS_HIDDEN)).isEqualTo(1);
            assertThat(fixture.count(Counter.RESYNCS_BROKEN)).isZero();
        }
    }

    private Manifest applied(String how) {
        return configMap(NAMESPACE, "a").annotation(APPLIED, how).annotation("kept", "yes");
    }

    private ReflectorFixture droppingWhatWasApplied(Strategy strategy) {
        ReflectorFixturePlan plan =
                ReflectorFixturePlan.of(ServedTypes.CONFIGMAPS)
                        .by(strategy)
                        .only(ReflectorFixture.namespace(NAMESPACE))
                        .storing(
                                new RedactingTransform(
                                        new StoredFields(
                                                List.of(),
                                                List.of(
                                                        FieldPath.parse(
                                                                "metadata.annotations['"
                                                                        + APPLIED
                                                                        + "']"),
                                                        FieldPath.parse(
                                                                "metadata.managedFields")))));
        return ReflectorFixture.of(server, plan).synced();
    }
}
