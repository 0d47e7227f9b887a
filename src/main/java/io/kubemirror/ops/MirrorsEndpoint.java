package io.kubemirror.ops;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * What an operator asks first, in one document: {@code /actuator/mirrors}, and of one resource
 * {@code /actuator/mirrors/pods} or {@code /actuator/mirrors/pods/kube-system}.
 */
@Endpoint(id = "mirrors")
public final class MirrorsEndpoint {

    private final DiagnosisService service;

    /** An endpoint that tells what a diagnostician finds. */
    public MirrorsEndpoint(DiagnosisService service) {
        this.service = service;
    }

    /** How everything is. */
    @ReadOperation
    public Object all() {
        return service.diagnose("");
    }

    /** How the mirrors of one resource are, or one mirror; null if there is none. */
    @ReadOperation
    public @Nullable Object one(@Selector(match = Selector.Match.ALL_REMAINING) String... mirror) {
        String name = String.join("/", mirror);
        return service.knows(name) ? service.diagnose(name) : null;
    }
}
