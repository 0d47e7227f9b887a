package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.mirror.Mirror;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

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

    /** What is answered about a mirror that does not exist: those that do. */
    private record UnknownMirror(String error, List<String> mirrors) {}

    /** The diagnosis of the mirrors of one resource, or of one mirror; 404 if there is none. */
    @ReadOperation
    public WebEndpointResponse<Object> one(
            @Selector(match = Selector.Match.ALL_REMAINING) String[] mirror) {
        String name = String.join("/", mirror);
        Predicate<Mirror> meant =
                candidate ->
                        name.isEmpty()
                                || name.equals(candidate.scope().toString())
                                || name.equals(candidate.scope().resource().text());
        List<Mirror> present = process.plain();
        if (present.stream().anyMatch(meant)) {
            return new WebEndpointResponse<>(Diagnosis.of(process, meant));
        }
        List<String> names = present.stream().map(one -> one.scope().toString()).toList();
        return new WebEndpointResponse<>(
                new UnknownMirror("there is no mirror " + name, names),
                WebEndpointResponse.STATUS_NOT_FOUND);
    }
}
