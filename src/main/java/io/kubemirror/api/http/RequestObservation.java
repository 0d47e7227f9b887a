package io.kubemirror.api.http;

import io.kubemirror.api.http.RequestMeters.RequestKind;
import io.kubemirror.api.http.RequestMeters.Target;

/**
 * What is noted about one request until its answer can be counted; used by one thread at a time.
 */
public final class RequestObservation {

    /** The code of an answer whose client went away before it was complete, as others count it. */
    public static final int ABANDONED = 499;

    private final RequestMeters meters;
    private final long began;
    private String verb = "other";
    private String resource = "";
    private String representation = "";
    private boolean counted;

    /**
     * A note about a request that has just come.
     *
     * @param began when, on the clock of the meters
     */
    RequestObservation(RequestMeters meters, long began) {
        this.meters = meters;
        this.began = began;
    }

    /** It could be read: as {@code get}, {@code list}, {@code watch} or {@code other}. */
    public void verb(String verb) {
        this.verb = verb;
    }

    /** Sets the mirrored resource that the request reads, named as it is configured. */
    public void resource(String resource) {
        this.resource = resource;
    }

    /** The form of its answer has been chosen. */
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

    /** It has been answered, or its watch stands; counted once. */
    public void answered(int code) {
        if (!counted) {
            counted = true;
            meters.answered(
                    new RequestKind(new Target(verb, resource), code, representation), began);
        }
    }
}
