package io.kubemirror.app.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import module java.base;

import io.kubemirror.app.health.MirrorDiagnosis.MirrorState;
import io.kubemirror.mirror.UpstreamStatus.Phase;

import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Status;

class MirrorsHealthIndicatorTest {

    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

    private final PodMirror one = new PodMirror("one");
    private final PodMirror other = new PodMirror("other");
    private final MirrorsHealthIndicator indicator =
            new MirrorsHealthIndicator(
                    PodMirror.process(() -> NOW, one.mirror(), other.mirror()), _ -> true);

    @Test
    void health_is_down_until_every_mirror_has_synchronized_once() {
        assertThat(status()).isEqualTo(Status.DOWN);

        one.sync("5");
        assertThat(status()).isEqualTo(Status.DOWN);

        other.sync("7");
        assertThat(status()).isEqualTo(Status.UP);
    }

    @Test
    void outage_after_the_first_synchronization_keeps_health_up() {
        one.sync("5");
        other.sync("7");

        for (Phase phase : Phase.values()) {
            one.report(phase, NOW, "connection refused");
            assertThat(status()).as(phase.name()).isEqualTo(Status.UP);
        }
    }

    @Test
    void absent_type_counts_as_synchronized() {
        one.sync("5");
        other.report(Phase.ABSENT, NOW, "no such resource");

        assertThat(status()).isEqualTo(Status.UP);
        assertThat(indicator.health().getDetails().get("pods/other"))
                .asInstanceOf(type(MirrorState.class))
                .satisfies(state -> assertThat(state.phase()).isEqualTo("absent"))
                .extracting(MirrorState::problem)
                .isEqualTo("no such resource");
    }

    private Status status() {
        return indicator.health().getStatus();
    }
}
