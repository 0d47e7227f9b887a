package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.app.health.MirrorDiagnosis.MirrorState;
import io.kubemirror.app.health.ProcessDescription.Mirrored;
import io.kubemirror.mirror.Mirror;

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

    private final ProcessDescription process;
    private final Predicate<Mirror> required;

    /**
     * Stays true once set, even while a reflector looks for a type that is absent again. Only true
     * is ever written, so a slow check cannot overwrite the result of a later one.
     */
    private volatile boolean ready;

    /**
     * Creates the indicator.
     *
     * @param required whether requests need a mirror; others are only shown
     */
    public MirrorsHealthIndicator(ProcessDescription process, Predicate<Mirror> required) {
        super("Cannot determine the health of the mirrors");
        this.process = process;
        this.required = required;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        if (!ready && process.plain().stream().filter(required).allMatch(Mirror::isSynced)) {
            ready = true;
        }
        builder.status(ready ? Status.UP : Status.DOWN);
        Instant now = process.clock().instant();
        for (Mirrored one : process.mirrors().get()) {
            builder.withDetail(one.mirror().scope().toString(), MirrorState.of(one, process, now));
        }
    }
}
