package io.kubemirror.api.http;

import io.kubemirror.api.http.RequestMeters.RequestKind;
import io.kubemirror.api.http.RequestMeters.Target;

/**
 * The observation of one request until its response is recorded. Confined to one thread at a time.
 */
public final class RequestObservation {

    /**
     * The status code for a client that disconnected before its response was complete, as other
     * servers record it.
     */
    public static final int ABANDONED = 499;

    private final RequestMeters meters;
    private final long began;
    private String verb = "other";
    private String resource = "";
    private String representation = "";
    private boolean counted;

    /**
     * Creates an observation of a request that has just arrived.
     *
     * @param began the time of arrival, on the clock of the metrics
     */
    RequestObservation(RequestMeters meters, long began) {
        this.meters = meters;
        this.began = began;
    }

    /**
     * Sets the verb of a parsed request: {@code get}, {@code list}, {@code watch}, or {@code
     * other}.
     */
    public void verb(String verb) {
        this.verb = verb;
    }

    /** Sets the mirrored resource that the request reads, named as it is configured. */
    public void resource(String resource) {
        this.resource = resource;
    }

    /** Sets the form of the response. */
    public void representation(Representation chosen) {
        String shape =
                switch (chosen.shape()) {
                    case WHOLE -> "";
                    case DISCOVERY -> "discovery";
                    case METADATA, METADATA_LIST -> "metadata";
                    case TABLE -> "table";
                };
        representation =
                switch (chosen.framing()) {
                    case JSON_LINES -> shape.isEmpty() ? "json" : shape;
                    case SERVER_SENT_EVENTS -> shape.isEmpty() ? "sse" : "sse-" + shape;
                };
    }

    /**
     * Records that the request has been answered or its watch is open. Only the first call counts.
     */
    public void answered(int code) {
        if (!counted) {
            counted = true;
            meters.answered(
                    new RequestKind(new Target(verb, resource), code, representation), began);
        }
    }
}
