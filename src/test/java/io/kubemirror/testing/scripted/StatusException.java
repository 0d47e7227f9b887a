package io.kubemirror.testing.scripted;

import module java.base;

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
        return new StatusException(new Status(400, "BadRequest", message, null));
    }

    static StatusException noRoute() {
        return new StatusException(
                new Status(
                        404,
                        "NotFound",
                        "the server could not find the requested resource",
                        Status.Details.EMPTY));
    }

    static StatusException expiredList() {
        return expired("The resourceVersion for the provided list is too old.");
    }

    static StatusException expiredWatch(long requested, long oldest) {
        return expired("too old resource version: " + requested + " (" + oldest + ")");
    }

    private static StatusException expired(String message) {
        return new StatusException(new Status(410, "Expired", message, null));
    }

    static StatusException expiredToken(String newToken) {
        return new StatusException(
                new Status(
                        410,
                        "Expired",
                        "The provided continue parameter is too old to display a consistent list"
                            + " result. You can start a new list without the continue parameter, or"
                            + " use the continue token in this response to retrieve the remainder"
                            + " of the results. Continuing with the provided token results in an"
                            + " inconsistent list - objects that were created, modified, or deleted"
                            + " between the time the first chunk was returned and now may show up"
                            + " in the list.",
                        null,
                        newToken));
    }

    static StatusException tooLarge(long requested, long current) {
        Status.Cause cause =
                new Status.Cause("ResourceVersionTooLarge", "Too large resource version", "");
        return new StatusException(
                new Status(
                        504,
                        "Timeout",
                        "Timeout: Too large resource version: %d, current: %d"
                                .formatted(requested, current),
                        new Status.Details("", "", "", List.of(cause), 1)));
    }
}
