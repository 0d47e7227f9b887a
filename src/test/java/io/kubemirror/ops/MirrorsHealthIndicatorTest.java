package io.kubemirror.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.kubemirror.mirror.UpstreamStatus.Phase;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.MapAssert;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Status;

import java.time.Instant;
import java.util.List;

class MirrorsHealthIndicatorTest {

    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

    private final PodMirror one = new PodMirror("one");
    private final PodMirror other = new PodMirror("other");
    private final MirrorsHealthIndicator indicator =
            new MirrorsHealthIndicator(List.of(one.mirror(), other.mirror()), () -> NOW);

    @Test
    void not_ready_until_every_mirror_has_synchronised_once() {
        assertThat(status()).isEqualTo(Status.DOWN);

        one.sync("5");
        assertThat(status()).isEqualTo(Status.DOWN);

        other.sync("7");
        assertThat(status()).isEqualTo(Status.UP);
    }

    @Test
    void an_outage_after_the_first_synchronisation_does_not_take_readiness_away() {
        one.sync("5");
        other.sync("7");

        for (Phase phase : Phase.values()) {
            one.report(phase, NOW, "connection refused");
            assertThat(status()).as(phase.name()).isEqualTo(Status.UP);
        }
    }

    @Test
    void a_type_that_the_server_lacks_counts_as_synchronised() {
        one.sync("5");
        other.report(Phase.ABSENT, NOW, "no such resource");

        assertThat(status()).isEqualTo(Status.UP);
    }

    @Test
    void asking_again_for_a_type_that_the_server_lacks_does_not_take_readiness_away() {
        one.sync("5");
        other.report(Phase.ABSENT, NOW, "no such resource");
        assertThat(status()).isEqualTo(Status.UP);

        other.report(Phase.RESOLVING, NOW, "");

        assertThat(status()).isEqualTo(Status.UP);
    }

    @Test
    void a_server_that_was_never_reached_is_told_with_the_problem() {
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
    void a_working_mirror_is_told_without_a_problem() {
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
