package io.kubemirror.web;

import io.kubemirror.web.RequestMeters.Kind;
import io.kubemirror.web.RequestMeters.Target;

/**
 * What is noted about one request until its answer can be counted; used by one thread at a time.
 */
final class RequestNote {

    /** The code of an answer whose client went away before it was complete, as others count it. */
    static final int ABANDONED = 499;

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
    RequestNote(RequestMeters meters, long began) {
        this.meters = meters;
        this.began = began;
    }

    /** It could be read: as {@code get}, {@code list}, {@code watch} or {@code other}. */
    void asks(String verb) {
        this.verb = verb;
    }

    /** It is about something that is mirrored. */
    void concerns(MirroredResource mirrored) {
        resource = mirrored.mirrors().getFirst().scope().resource().text();
    }

    /** The form of its answer has been chosen. */
    void shows(Representation chosen) {
        String shape =
                switch (chosen.shape()) {
                    case WHOLE -> "";
                    case DISCOVERY -> "discovery";
                    case METADATA, METADATA_LIST -> "metadata";
                    case TABLE -> "table";
                };
        representation =
                switch (chosen.wire()) {
                    case JSON_LINES -> shape.isEmpty() ? "json" : shape;
                    case SERVER_SENT_EVENTS -> shape.isEmpty() ? "sse" : "sse-" + shape;
                };
    }

    /** It has been answered, or its watch stands; counted once. */
    void answered(int code) {
        if (!counted) {
            counted = true;
            meters.answered(new Kind(new Target(verb, resource), code, representation), began);
        }
    }
}
