package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.mirror.Mirror;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Actuator endpoint that diagnoses this process and its mirrors: {@code /actuator/mirrors} for all
 * mirrors, {@code /actuator/mirrors/pods} or {@code /actuator/mirrors/pods/kube-system} for some.
 * Safe for use by any thread.
 */
@Endpoint(id = "mirrors")
public final class MirrorsEndpoint {

    private final ProcessDescription process;

    /** Creates the endpoint. */
    public MirrorsEndpoint(ProcessDescription process) {
        this.process = process;
    }

    /** The diagnosis of all mirrors. */
    @ReadOperation
    public Diagnosis all() {
        return Diagnosis.of(process, _ -> true);
    }

    /** The diagnosis of the mirrors of one resource, or of one mirror; null if there is none. */
    @ReadOperation
    public @Nullable Diagnosis one(
            @Selector(match = Selector.Match.ALL_REMAINING) String[] mirror) {
        String name = String.join("/", mirror);
        Predicate<Mirror> meant =
                candidate ->
                        name.isEmpty()
                                || name.equals(candidate.scope().toString())
                                || name.equals(candidate.scope().resource().text());
        return process.plain().stream().anyMatch(meant) ? Diagnosis.of(process, meant) : null;
    }
}
