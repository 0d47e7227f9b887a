package io.kubemirror.testing.scripted;

import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.Status;

/** A request that the scripted server refuses, with the Status it answers. */
final class StatusException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient Status status;

    StatusException(Status status) {
        super(status.message());
        this.status = status;
    }

    Status status() {
        return status;
    }

    static StatusException badRequest(String message) {
        return new StatusException(StatusErrors.badRequest(message));
    }

    static StatusException noRoute() {
        return new StatusException(StatusErrors.noSuchResource());
    }
}
