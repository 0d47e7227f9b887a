package io.kubemirror.ops;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirrors;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Names;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Whether the mirrors can be read: down until every one has synchronised once, up from then on.
 *
 * <p>An outage of the API server or a resynchronisation never takes readiness away again, since the
 * mirrors go on answering with what they know (list-watch.md#in-3); how stale that is stands in the
 * details. A type that the server does not have counts as synchronised (list-watch.md#in-4).
 * Details name no object and hold nothing of their content.
 */
public final class MirrorsHealthIndicator extends AbstractHealthIndicator {

    private final Mirrors mirrors;
    private final InstantSource clock;

    /**
     * Once true it stays true, even while a reflector asks again for a type that is absent. Nothing
     * but true is written, so that a slow look cannot overwrite the result of a later one.
     */
    private volatile boolean ready;

    /**
     * The health of all mirrors.
     *
     * @param mirrors the mirrors
     * @param clock tells how long ago the API server was heard of
     */
    public MirrorsHealthIndicator(Mirrors mirrors, InstantSource clock) {
        super("the health of the mirrors cannot be told");
        this.mirrors = mirrors;
        this.clock = clock;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        if (!ready && mirrors.all().stream().allMatch(MirrorsHealthIndicator::isSynced)) {
            ready = true;
        }
        builder.status(ready ? Status.UP : Status.DOWN);
        for (Mirror mirror : mirrors.all()) {
            builder.withDetail(mirror.scope().toString(), details(mirror));
        }
    }

    private static boolean isSynced(Mirror mirror) {
        return mirror.snapshot().isPresent() || mirror.upstream().phase() == Phase.ABSENT;
    }

    private Map<String, Object> details(Mirror mirror) {
        UpstreamStatus upstream = mirror.upstream();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", Names.kebab(upstream.phase()));
        details.put("synced", isSynced(mirror));
        details.put("revision", mirror.revision().digits());
        details.put("objects", mirror.snapshot().map(snapshot -> snapshot.size()).orElse(0));
        details.put("lastContact", lastContact(upstream.contact()));
        if (!upstream.problem().isEmpty()) {
            details.put("problem", upstream.problem());
        }
        return details;
    }

    private String lastContact(Instant contact) {
        return contact.equals(Instant.EPOCH)
                ? "never"
                : Duration.between(contact, clock.instant()).toSeconds() + "s ago";
    }
}
