package io.kubemirror.upstream;

import io.kubemirror.model.Status;

/** Why a request to the API server had no useful answer. */
public sealed interface Failure
        extends AccessOutcome,
                ColumnsOutcome,
                DiscoveryOutcome,
                ForwardOutcome,
                ListOutcome,
                ReviewOutcome,
                TokenOutcome,
                VersionOutcome,
                WatchOutcome {

    /** The failure in one line for logs and health, without credentials and object contents. */
    String summary();

    /**
     * The server refused.
     *
     * @param status what it said; where the body was no Status, one made from the HTTP status
     * @param renewed whether it refused a second time, after the credentials had been read anew
     */
    record Refused(Status status, boolean renewed) implements Failure {

        /** A server may send pages of text, which is none of a log's business. */
        private static final int LONGEST = 500;

        /** A refusal that has nothing to do with how old the credentials are. */
        public Refused(Status status) {
            this(status, false);
        }

        @Override
        public String summary() {
            String line = status.message().lines().findFirst().orElse("");
            String said = line.length() > LONGEST ? line.substring(0, LONGEST) + "..." : line;
            return "HTTP " + status.code() + " " + status.reason() + ": " + said;
        }
    }

    /**
     * No connection came about, or it broke.
     *
     * @param reason what happened
     * @param kind which of these
     */
    record Unreachable(String reason, Kind kind) implements Failure {

        /** How far the request came. */
        public enum Kind {
            /** No connection came about, so that the server never saw the request. */
            REFUSED,
            /** The connection was reset or closed, or fell silent, before the answer was there. */
            BROKEN,
            /** The certificates or credentials cannot be used, however well the server is. */
            UNTRUSTED
        }

        /** A connection that was refused, or else one that broke. */
        public Unreachable(String reason, boolean refused) {
            this(reason, refused ? Kind.REFUSED : Kind.BROKEN);
        }

        /** Whether the server never saw the request. */
        public boolean refused() {
            return kind == Kind.REFUSED;
        }

        @Override
        public String summary() {
            return reason;
        }
    }

    /**
     * The answer could not be understood.
     *
     * @param reason what is wrong with it, without any content
     */
    record Malformed(String reason) implements Failure {
        @Override
        public String summary() {
            return reason;
        }
    }
}
