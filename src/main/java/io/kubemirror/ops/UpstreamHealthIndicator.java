package io.kubemirror.ops;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/**
 * Reports whether the API server can be reached: down if a mirror has had no response for a
 * configured time (list-watch.md#bo-6).
 *
 * <p>Any response counts, even a refusal, because it proves the connection. An open watch may be
 * silent. This indicator is for alerts and belongs to neither readiness nor liveness: mirrors keep
 * serving, and a restart does not bring back the API server.
 */
public final class UpstreamHealthIndicator extends AbstractHealthIndicator {

    private final List<Mirror> mirrors;
    private final Duration patience;
    private final InstantSource clock;
    private final Instant began;

    /**
     * Creates the indicator.
     *
     * @param patience how long the server may be silent
     * @param clock measures the silence
     */
    public UpstreamHealthIndicator(List<Mirror> mirrors, Duration patience, InstantSource clock) {
        super("Cannot determine the health of the connection");
        this.mirrors = mirrors;
        this.patience = patience;
        this.clock = clock;
        this.began = clock.instant();
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        List<String> lost =
                mirrors.stream()
                        .filter(this::isLost)
                        .map(mirror -> mirror.scope().toString())
                        .toList();
        if (lost.isEmpty()) {
            builder.up();
        } else {
            builder.down().withDetail("lost", lost);
        }
    }

    private boolean isLost(Mirror mirror) {
        UpstreamStatus upstream = mirror.upstream();
        Instant contact = upstream.contact().isAfter(began) ? upstream.contact() : began;
        return upstream.phase() != Phase.WATCHING
                && contact.plus(patience).isBefore(clock.instant());
    }
}
