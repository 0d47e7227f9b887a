package io.kubemirror.app.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import module java.base;

import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.testing.MirrorSets;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.MapAssert;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Status;

class MirrorsHealthIndicatorTest {

    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

    private final PodMirror one = new PodMirror("one");
    private final PodMirror other = new PodMirror("other");
    private final MirrorsHealthIndicator indicator =
            new MirrorsHealthIndicator(
                    MirrorSets.of(one.mirror(), other.mirror()), _ -> true, () -> NOW);

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
        details("pods/other").containsEntry("problem", "no such resource");
    }

    @Test
    void health_details_of_a_never_reached_server_include_the_problem() {
        one.report(Phase.BACKING_OFF, Instant.EPOCH, "connection refused");

        details("pods/one")
                .containsOnly(
                        entry("state", "backing-off"),
                        entry("synced", false),
                        entry("revision", "0"),
                        entry("objects", 0),
                        entry("lastContact", "never"),
                        entry("problem", "connection refused"));
    }

    @Test
    void health_details_of_a_working_mirror_omit_the_problem() {
        one.sync("90", PodMirror.pod("a", "12", "{}"), PodMirror.pod("b", "13", "{}"));
        one.report(Phase.WATCHING, NOW.minusSeconds(3), "");

        details("pods/one")
                .containsOnly(
                        entry("state", "watching"),
                        entry("synced", true),
                        entry("revision", "90"),
                        entry("objects", 2),
                        entry("lastContact", "3s ago"));
    }

    private MapAssert<Object, Object> details(String scope) {
        return assertThat(indicator.health().getDetails().get(scope))
                .asInstanceOf(InstanceOfAssertFactories.MAP);
    }

    private Status status() {
        return indicator.health().getStatus();
    }
}
