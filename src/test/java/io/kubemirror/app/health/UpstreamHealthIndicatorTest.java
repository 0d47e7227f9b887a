package io.kubemirror.app.health;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.testing.MirrorSets;

import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * If the API server has given no answer for lost-after, health reports the connection as lost
 * (list-watch.md#bo-6).
 */
class UpstreamHealthIndicatorTest {

    private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final PodMirror one = new PodMirror("one");
    private final PodMirror other = new PodMirror("other");
    private Instant now = START;
    private final UpstreamHealthIndicator indicator =
            new UpstreamHealthIndicator(
                    MirrorSets.of(one.mirror(), other.mirror()), PATIENCE, () -> now);

    @Test
    void never_reached_server_is_reported_as_lost_only_after_the_timeout() {
        assertThat(health().getStatus()).isEqualTo(Status.UP);
        now = START.plus(PATIENCE);
        assertThat(health().getStatus()).isEqualTo(Status.UP);
        now = now.plusSeconds(1);
        assertThat(health().getStatus()).isEqualTo(Status.DOWN);
    }

    @Test
    void connection_is_lost_only_for_mirrors_without_recent_contact() {
        now = START.plus(PATIENCE).plusSeconds(60);
        one.report(Phase.BACKING_OFF, START.plusSeconds(59), "connection refused");
        other.report(Phase.BACKING_OFF, now, "HTTP 500");

        assertThat(health().getStatus()).isEqualTo(Status.DOWN);
        assertThat(health().getDetails()).containsEntry("lost", List.of("pods/one"));
    }

    /** Its content may be old, but the connection is in order. */
    @Test
    void server_that_refuses_is_not_reported_as_lost() {
        now = START.plus(PATIENCE).plusSeconds(60);
        one.report(Phase.BACKING_OFF, START, "HTTP 403");
        other.report(Phase.BACKING_OFF, START, "HTTP 403");
        assertThat(health().getStatus()).isEqualTo(Status.DOWN);

        one.refused(now);
        other.refused(now);
        assertThat(health().getStatus()).isEqualTo(Status.UP);
        assertThat(one.mirror().upstream().contact()).isEqualTo(START);
    }

    @Test
    void idle_watch_is_not_reported_as_lost() {
        one.report(Phase.WATCHING, START, "");
        other.report(Phase.WATCHING, START, "");
        now = START.plus(PATIENCE).plus(PATIENCE);

        assertThat(health().getStatus()).isEqualTo(Status.UP);
    }

    private Health health() {
        return indicator.health();
    }
}
