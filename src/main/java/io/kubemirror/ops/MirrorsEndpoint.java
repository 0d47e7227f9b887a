package io.kubemirror.ops;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Actuator endpoint that returns the diagnosis: {@code /actuator/mirrors} for all mirrors, {@code
 * /actuator/mirrors/pods} or {@code /actuator/mirrors/pods/kube-system} for some.
 */
@Endpoint(id = "mirrors")
public final class MirrorsEndpoint {

    private final DiagnosisService service;

    /** Creates an endpoint that returns the results of a service. */
    public MirrorsEndpoint(DiagnosisService service) {
        this.service = service;
    }

    /** The diagnosis of all mirrors. */
    @ReadOperation
    public Object all() {
        return service.diagnose("");
    }

    /** The diagnosis of the mirrors of one resource, or of one mirror; null if there is none. */
    @ReadOperation
    public @Nullable Object one(@Selector(match = Selector.Match.ALL_REMAINING) String... mirror) {
        String name = String.join("/", mirror);
        return service.knows(name) ? service.diagnose(name) : null;
    }
}
