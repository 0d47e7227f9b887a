package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.kube.json.TransportFailure;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Refused;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.WatchFrame;

import okhttp3.Headers;

/** Signals that etcd has ended a call: with what an API server would answer in its place. */
final class EtcdException extends IOException {

    private static final long serialVersionUID = 1L;

    private static final int UNKNOWN = 2;
    private static final int INVALID_ARGUMENT = 3;
    private static final int PERMISSION_DENIED = 7;
    private static final int RESOURCE_EXHAUSTED = 8;
    private static final int FAILED_PRECONDITION = 9;
    private static final int OUT_OF_RANGE = 11;
    private static final int INTERNAL = 13;
    private static final int UNAUTHENTICATED = 16;

    /** The maximum length of a message, which is logged. */
    private static final int MAX_LENGTH = 500;

    private final transient Failure failure;

    /** Creates an exception for a failure. */
    EtcdException(Failure failure) {
        super(failure.summary());
        this.failure = failure;
    }

    private EtcdException(int code, String message) {
        this(failure(code, message));
    }

    /** Returns the failure that an exception of a call stands for. */
    static Failure failure(IOException e) {
        return e instanceof EtcdException known ? known.failure : TransportFailure.of(e);
    }

    /** Returns how a watch ends with an exception. Unless etcd refuses it, it continues. */
    static WatchFrame.End end(IOException e) {
        return failure(e) instanceof Refused(var status)
                ? new WatchFrame.Failed(status)
                : TransportFailure.frame(failure(e));
    }

    /**
     * Reads the status of gRPC in headers or trailers.
     *
     * @return false if they have none
     * @throws EtcdException if it is not OK
     */
    static boolean isOk(Headers headers) throws EtcdException {
        String code = headers.get("grpc-status");
        if (code == null || code.equals("0")) {
            return code != null;
        }
        String message = headers.get("grpc-message");
        throw new EtcdException(
                code.matches("[0-9]{1,2}") ? Integer.parseInt(code) : UNKNOWN,
                message == null ? "" : message);
    }

    /** Returns the exception for a message that is larger than its limit, or than free memory. */
    static EtcdException large(long bytes, long maxBytes) {
        String problem =
                bytes > maxBytes
                        ? "a message is larger than " + maxBytes + " bytes"
                        : "not enough memory for an object of " + bytes + " bytes";
        return new EtcdException(new Failure.Malformed(problem));
    }

    /** Returns whether a message was too large, so that one with fewer objects may fit. */
    boolean isLarge() {
        return failure instanceof Failure.Malformed;
    }

    /** Returns the exception for a response that ended too early. */
    static EtcdException incomplete() {
        return new EtcdException(INTERNAL, "the response is incomplete");
    }

    /** Returns the exception for the reason why etcd canceled a watch, which has no code. */
    static EtcdException canceled(String reason) {
        // Anything else, such as a lost leader, says nothing about the revision.
        return new EtcdException(
                reason.contains("permission denied") ? PERMISSION_DENIED : INTERNAL, reason);
    }

    /** Returns the 410 for a revision that was compacted. */
    static EtcdException expired(String message) {
        return new EtcdException(expiry("etcd: " + message));
    }

    private static Refused expiry(String message) {
        return new Refused(new Status(410, "Expired", message, null, null));
    }

    /** Returns the error of an API server for a revision that it does not have yet. */
    static EtcdException tooLargeRevision() {
        String text = "Too large resource version";
        Status.Cause cause = new Status.Cause("ResourceVersionTooLarge", text, "");
        Status.Details details = new Status.Details("", "", "", List.of(cause), 1);
        return new EtcdException(new Refused(new Status(504, "Timeout", text, details)));
    }

    private static Failure failure(int code, String message) {
        String line = message.lines().findFirst().orElse("");
        String text =
                "etcd: "
                        + (line.length() > MAX_LENGTH
                                ? line.substring(0, MAX_LENGTH) + "..."
                                : line);
        return switch (code) {
            case OUT_OF_RANGE ->
                    message.contains("future revision") ? tooLargeRevision().failure : expiry(text);
            case UNAUTHENTICATED -> Refused.of(401, text);
            case INVALID_ARGUMENT -> Refused.of(400, text);
            case PERMISSION_DENIED -> Refused.of(403, text);
            case RESOURCE_EXHAUSTED -> Refused.of(429, text);
            case UNKNOWN, FAILED_PRECONDITION -> Refused.of(500, text);
            // No leader, no quorum, a leader that changed, a member that stops.
            default -> new Unreachable(text, Unreachable.Kind.BROKEN);
        };
    }
}
