package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Reports whether the API server can be reached: down if a mirror has had no response for a
 * configured time (list-watch.md#bo-6).
 *
 * <p>Any response counts, even a refusal, because it proves the connection. An open watch may be
 * silent. This indicator is for alerts and belongs to neither readiness nor liveness: mirrors keep
 * serving, and a restart does not bring back the API server.
 */
public final class UpstreamHealthIndicator extends AbstractHealthIndicator
        implements MirrorSet.Listener {

    private final MirrorSet mirrors;
    private final Duration patience;
    private final InstantSource clock;

    /** When each mirror was added. */
    private final Map<Mirror, Instant> began = new ConcurrentHashMap<>();

    /**
     * Creates the indicator.
     *
     * @param patience how long the server may be silent
     * @param clock measures the silence
     */
    public UpstreamHealthIndicator(MirrorSet mirrors, Duration patience, InstantSource clock) {
        super("Cannot determine the health of the connection");
        this.mirrors = mirrors;
        this.patience = patience;
        this.clock = clock;
        mirrors.listen(this);
    }

    @Override
    public void added(Mirror mirror) {
        began.put(mirror, clock.instant());
    }

    @Override
    public void removed(Mirror mirror) {
        began.remove(mirror);
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

    /** Returns whether the server has been silent about a mirror for too long. */
    public boolean isLost(Mirror mirror) {
        UpstreamStatus upstream = mirror.upstream();
        Instant added = began.getOrDefault(mirror, clock.instant());
        Instant answer = upstream.answer().isAfter(added) ? upstream.answer() : added;
        return upstream.phase() != Phase.WATCHING
                && answer.plus(patience).isBefore(clock.instant());
    }
}
