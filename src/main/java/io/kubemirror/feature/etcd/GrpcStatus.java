package io.kubemirror.feature.etcd;

import io.kubemirror.kube.json.TransportFailure;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.WatchFrame;

import okhttp3.Headers;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The status with which etcd ends a call, and what it means for a reflector: what an API server
 * would answer in the same situation.
 *
 * @param code the status code of gRPC
 * @param message the message of etcd
 */
record GrpcStatus(int code, String message) {

    static final int OK = 0;
    static final int UNKNOWN = 2;
    static final int INVALID_ARGUMENT = 3;
    static final int PERMISSION_DENIED = 7;
    static final int RESOURCE_EXHAUSTED = 8;
    static final int FAILED_PRECONDITION = 9;
    static final int OUT_OF_RANGE = 11;
    static final int INTERNAL = 13;
    static final int UNAUTHENTICATED = 16;

    /** The maximum length of a message, which is logged. */
    private static final int MAX_LENGTH = 500;

    /** Shortens the message to one line. */
    GrpcStatus {
        String line = message.lines().findFirst().orElse("");
        message = line.length() > MAX_LENGTH ? line.substring(0, MAX_LENGTH) + "..." : line;
    }

    /** Reads the status in headers or trailers; null if they have none. */
    static @Nullable GrpcStatus of(Headers headers) {
        String code = headers.get("grpc-status");
        if (code == null) {
            return null;
        }
        String message = headers.get("grpc-message");
        return new GrpcStatus(
                code.matches("[0-9]{1,2}") ? Integer.parseInt(code) : UNKNOWN,
                message == null ? "" : message);
    }

    /** Returns the status for the reason why etcd canceled a watch, which has no code. */
    static GrpcStatus ofCanceledWatch(String reason) {
        if (reason.contains("permission denied")) {
            return new GrpcStatus(PERMISSION_DENIED, reason);
        }
        // Anything else, such as a lost leader, says nothing about the revision.
        return new GrpcStatus(isAboutToken(reason) ? UNAUTHENTICATED : INTERNAL, reason);
    }

    private static boolean isAboutToken(String message) {
        return message.contains("invalid auth token")
                || message.contains("user name is empty")
                || message.contains("authentication failed")
                || message.contains("revision of auth store is old");
    }

    /** Returns the failure of a call that ended with this status. */
    Failure failure() {
        return switch (code) {
            case OUT_OF_RANGE ->
                    new Failure.Refused(
                            message.contains("future revision")
                                    ? tooLargeRevision()
                                    : expired(message, null));
            case UNAUTHENTICATED -> refused(401, "Unauthorized");
            case INVALID_ARGUMENT ->
                    isAboutToken(message)
                            ? refused(401, "Unauthorized")
                            : refused(400, "BadRequest");
            case PERMISSION_DENIED -> refused(403, "Forbidden");
            case RESOURCE_EXHAUSTED -> refused(429, "TooManyRequests");
            case UNKNOWN, FAILED_PRECONDITION -> refused(500, "InternalError");
            // No leader, no quorum, a leader that changed, a member that stops.
            default -> new Unreachable("etcd: " + message, Unreachable.Kind.BROKEN);
        };
    }

    private Failure refused(int status, String reason) {
        return new Failure.Refused(new Status(status, reason, "etcd: " + message, null));
    }

    /** Returns the 410 for a revision that was compacted. */
    static Status expired(String message, @Nullable String continueToken) {
        return new Status(410, "Expired", "etcd: " + message, null, continueToken);
    }

    /** Returns the error of an API server for a revision that it does not have yet. */
    static Status tooLargeRevision() {
        String text = "Too large resource version";
        Status.Cause cause = new Status.Cause("ResourceVersionTooLarge", text, "");
        return new Status(504, "Timeout", text, new Status.Details("", "", "", List.of(cause), 1));
    }

    /**
     * Returns how a watch that ended with a failure continues: at its revision, unless etcd refuses
     * it for a reason that lasts.
     */
    static WatchFrame.End end(Failure failure) {
        return switch (failure) {
            case Failure.Refused(var status, var _) when status.code() != 401 ->
                    new WatchFrame.Failed(status);
            case Failure.Refused _, Unreachable _, Failure.Malformed _ ->
                    TransportFailure.frame(failure);
        };
    }
}
