package io.kubemirror.feature.diagnose;

import module java.base;

import io.kubemirror.app.health.Diagnosis;
import io.kubemirror.app.health.Diagnosis.Detail;
import io.kubemirror.app.health.ProcessDescription;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.source.Source;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Actuator endpoint that diagnoses this process, its mirrors, and its API server: {@code
 * /actuator/mirrors} for all mirrors, {@code /actuator/mirrors/pods} or {@code
 * /actuator/mirrors/pods/kube-system} for some. Safe for use by any thread.
 */
@Endpoint(id = "mirrors")
public final class MirrorsEndpoint {

    /** Maximum number of watches of each mirror to list. */
    private static final int WATCHERS = 50;

    private final ProcessDescription process;
    private final UpstreamProbe probe;

    /** Creates an endpoint that asks the API server, too. */
    public MirrorsEndpoint(Source api, ProcessDescription process) {
        this.process = process;
        this.probe = new UpstreamProbe(api, process);
    }

    /**
     * The diagnosis of all mirrors.
     *
     * @param objects true to name the objects that change most
     */
    @ReadOperation
    public Diagnosis all(@Nullable Boolean objects) {
        return diagnose(_ -> true, objects);
    }

    /** The diagnosis of the mirrors of one resource, or of one mirror; null if there is none. */
    @ReadOperation
    public @Nullable Diagnosis one(
            @Selector(match = Selector.Match.ALL_REMAINING) String[] mirror,
            @Nullable Boolean objects) {
        String name = String.join("/", mirror);
        Predicate<Mirror> meant =
                candidate ->
                        name.isEmpty()
                                || name.equals(candidate.scope().toString())
                                || name.equals(candidate.scope().resource().text());
        return process.plain().stream().anyMatch(meant) ? diagnose(meant, objects) : null;
    }

    private Diagnosis diagnose(Predicate<Mirror> meant, @Nullable Boolean objects) {
        return Diagnosis.of(
                process,
                new Detail(meant, Boolean.TRUE.equals(objects), WATCHERS),
                probe.answers());
    }
}
