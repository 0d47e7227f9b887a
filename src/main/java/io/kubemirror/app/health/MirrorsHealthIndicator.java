package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.model.Names;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Reports whether mirrors can serve requests: down until each mirror has been synchronized once, up
 * from then on.
 *
 * <p>Neither an outage of the API server nor a resynchronization revokes readiness, because mirrors
 * keep serving their last state (list-watch.md#in-3). The details show its age. A type that the
 * server does not have counts as synchronized (list-watch.md#in-4). The details contain no names
 * and no content of objects.
 */
public final class MirrorsHealthIndicator extends AbstractHealthIndicator {

    private final MirrorSet mirrors;
    private final Predicate<Mirror> required;
    private final InstantSource clock;

    /**
     * Stays true once set, even while a reflector looks for a type that is absent again. Only true
     * is ever written, so a slow check cannot overwrite the result of a later one.
     */
    private volatile boolean ready;

    /**
     * Creates the indicator.
     *
     * @param required whether requests need a mirror; others are only shown
     * @param clock measures the age of the last contact
     */
    public MirrorsHealthIndicator(
            MirrorSet mirrors, Predicate<Mirror> required, InstantSource clock) {
        super("Cannot determine the health of the mirrors");
        this.mirrors = mirrors;
        this.required = required;
        this.clock = clock;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        if (!ready && mirrors.stream().filter(required).allMatch(Mirror::isSynced)) {
            ready = true;
        }
        builder.status(ready ? Status.UP : Status.DOWN);
        for (Mirror mirror : mirrors.all()) {
            builder.withDetail(mirror.scope().toString(), details(mirror));
        }
    }

    private Map<String, Object> details(Mirror mirror) {
        UpstreamStatus upstream = mirror.upstream();
        Instant contact = upstream.contact();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", Names.kebab(upstream.phase()));
        details.put("synced", mirror.isSynced());
        details.put("revision", mirror.revision().digits());
        details.put("objects", mirror.snapshot().map(Snapshot::size).orElse(0));
        details.put(
                "lastContact",
                contact.equals(Instant.EPOCH)
                        ? "never"
                        : Duration.between(contact, clock.instant()).toSeconds() + "s ago");
        if (!upstream.problem().isEmpty()) {
            details.put("problem", upstream.problem());
        }
        return details;
    }
}
