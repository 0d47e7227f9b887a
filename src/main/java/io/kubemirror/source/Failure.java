package io.kubemirror.source;

import io.kubemirror.model.Status;

/** The reason why a request to the API server failed. */
public sealed interface Failure {

    /**
     * Describes the failure in one line for logs and health, without credentials and object
     * contents.
     */
    default String summary() {
        return switch (this) {
            case Refused refused -> refused.line();
            case Unreachable(String reason, var _) -> reason;
            case Malformed(String reason) -> reason;
        };
    }

    /** Returns whether fresh credentials or certificates may help. */
    default boolean isStale() {
        return switch (this) {
            case Refused(Status status) -> status.code() == 401;
            case Unreachable(var _, var kind) -> kind == Unreachable.Kind.UNTRUSTED;
            case Malformed _ -> false;
        };
    }

    /**
     * The server rejected the request.
     *
     * @param status the Status in the response, or one derived from the HTTP status if the body was
     *     not a Status
     */
    record Refused(Status status) implements Failure {

        /** The maximum length of a message in a log, since a server may send pages of text. */
        private static final int MAX_LENGTH = 500;

        /** Creates a rejection with the reason that belongs to its code. */
        public static Refused of(int code, String message) {
            return new Refused(new Status(code, Status.reason(code), message, null));
        }

        private String line() {
            String line = status.message().lines().findFirst().orElse("");
            String said = line.length() > MAX_LENGTH ? line.substring(0, MAX_LENGTH) + "..." : line;
            return "HTTP " + status.code() + " " + status.reason() + ": " + said;
        }
    }

    /**
     * The connection could not be established, or it broke.
     *
     * @param reason the cause
     * @param kind the kind of the connection failure
     */
    record Unreachable(String reason, Kind kind) implements Failure {

        /** The kinds of connection failures. */
        public enum Kind {
            /** No connection was established, so the server never received the request. */
            REFUSED,
            /** The connection was reset or closed before the response was complete. */
            BROKEN,
            /** No byte arrived within the time limit. */
            SILENT,
            /**
             * The certificates or credentials cannot be used, regardless of the state of the
             * server.
             */
            UNTRUSTED
        }

        /** Returns whether the server never received the request. */
        public boolean refused() {
            return kind == Kind.REFUSED;
        }
    }

    /**
     * The response could not be parsed.
     *
     * @param reason the cause, without any content
     */
    record Malformed(String reason) implements Failure {}
}
