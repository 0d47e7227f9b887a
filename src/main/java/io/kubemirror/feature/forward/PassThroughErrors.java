package io.kubemirror.feature.forward;

import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.Status;
import io.kubemirror.model.Status.Details;
import io.kubemirror.source.Failure;

/** Creates the errors of requests that the API server has not answered. */
final class PassThroughErrors {

    private PassThroughErrors() {}

    /** The API server has not answered. */
    static Status of(Failure failure) {
        String why = failure.summary();
        return switch (failure) {
            case Failure.Refused(Status status, var _) ->
                    status.code() == 503 ? status : badGateway(why);
            case Failure.Unreachable broken ->
                    switch (broken.kind()) {
                        case REFUSED -> StatusErrors.unavailable(why);
                        case SILENT ->
                                new Status(
                                        504, Status.reason(504), "Timeout: " + why, Details.EMPTY);
                        case BROKEN, UNTRUSTED -> badGateway(why);
                    };
            case Failure.Malformed _ -> badGateway(why);
        };
    }

    /** The API server, or the way to it, does not answer as a server should. */
    static Status badGateway(String why) {
        String message = "the API server cannot be used: " + why;
        return new Status(502, Status.reason(502), message, null);
    }
}
