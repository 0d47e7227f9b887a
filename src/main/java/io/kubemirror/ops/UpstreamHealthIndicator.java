package io.kubemirror.ops;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirrors;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/**
 * Whether the API server can be reached: down once a mirror has had no answer for long
 * (list-watch.md#bo-6).
 *
 * <p>An answer of any kind counts, a refusal too: it proves the connection. A watch that is open
 * may be as quiet as its collection. Part of neither readiness nor liveness, for the mirrors go on
 * answering and a restart brings no API server back; it is there to be alerted on.
 */
public final class UpstreamHealthIndicator extends AbstractHealthIndicator {

    private final Mirrors mirrors;
    private final Duration patience;
    private final InstantSource clock;
    private final Instant began;

    /**
     * The health of the connection.
     *
     * @param mirrors the mirrors
     * @param patience how long a server may be silent before it counts as lost
     * @param clock tells how long it has been
     */
    public UpstreamHealthIndicator(Mirrors mirrors, Duration patience, InstantSource clock) {
        super("the health of the connection cannot be told");
        this.mirrors = mirrors;
        this.patience = patience;
        this.clock = clock;
        this.began = clock.instant();
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        List<String> lost =
                mirrors.all().stream()
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
