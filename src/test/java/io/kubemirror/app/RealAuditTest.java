package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.ResourceType;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.SyntheticLoad;
import io.kubemirror.testing.real.WithApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

/** Audits mirrors of a real API server. */
@WithApiServer(own = true)
class RealAuditTest {

    private static final int STEPS = 60;

    static List<ResourceType> types() {
        return List.of(ServedTypes.PODS, ServedTypes.CONFIGMAPS);
    }

    @ParameterizedTest
    @MethodSource("types")
    void audit_finds_no_difference_during_concurrent_writes(ResourceType type, ApiServer server)
            throws InterruptedException {
        try (SyntheticLoad life = new SyntheticLoad(server, "audited-" + type.plural());
                ReflectorFixture fixture =
                        ReflectorFixture.of(server, type, Strategy.AUTO).synced()) {
            life.step();
            Thread writer =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        for (int i = 1; i < STEPS; i++) {
                                            life.step();
                                        }
                                    });
            while (writer.isAlive()) {
                fixture.audit();
            }
            new FoldingWatcher(fixture.mirror()).readUntil(fixture.truth());
            fixture.audit();

            assertThat(fixture.count(Counter.AUDITS_CONSISTENT)).isGreaterThan(1);
            assertThat(fixture.count(Counter.AUDITS_DIFFERENT)).isZero();
            assertThat(fixture.count(Counter.AUDITS_AHEAD)).isZero();
            assertThat(fixture.count(Counter.AUDITS_REFUSED)).isZero();
            assertThat(fixture.count(Counter.AUDITS_FAILED)).isZero();
            assertThat(fixture.count(Counter.AUDITS_EXPIRED)).isZero();
        }
    }
}
