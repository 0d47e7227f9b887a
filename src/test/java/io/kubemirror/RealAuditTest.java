package io.kubemirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.ResourceType;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.testground.ApiServer;
import io.kubemirror.testground.Follower;
import io.kubemirror.testground.Reflection;
import io.kubemirror.testground.SyntheticLife;
import io.kubemirror.testground.Types;
import io.kubemirror.testground.WithApiServer;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

/** Audits of mirrors of the Kubernetes API server itself. */
@WithApiServer(own = true)
class RealAuditTest {

    private static final int STEPS = 60;

    static List<ResourceType> types() {
        return List.of(Types.PODS, Types.CONFIGMAPS);
    }

    @ParameterizedTest
    @MethodSource("types")
    void a_mirror_is_consistent_page_by_page_while_others_write(ResourceType type, ApiServer server)
            throws InterruptedException {
        try (SyntheticLife life = new SyntheticLife(server, "audited-" + type.plural());
                Reflection reflection = Reflection.of(server, type, Strategy.AUTO).synchronised()) {
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
                reflection.audit();
            }
            new Follower(reflection.mirror()).readUntil(reflection.truth());
            reflection.audit();

            assertThat(reflection.count(Counter.AUDITS_CONSISTENT)).isGreaterThan(1);
            assertThat(reflection.count(Counter.AUDITS_DIFFERENT)).isZero();
            assertThat(reflection.count(Counter.AUDITS_AHEAD)).isZero();
            assertThat(reflection.count(Counter.AUDITS_REFUSED)).isZero();
            assertThat(reflection.count(Counter.AUDITS_FAILED)).isZero();
            assertThat(reflection.count(Counter.AUDITS_EXPIRED)).isZero();
        }
    }
}
