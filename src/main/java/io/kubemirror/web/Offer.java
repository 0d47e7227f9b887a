package io.kubemirror.web;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What an endpoint can answer with, the default first. */
enum Offer {
    /** One object. */
    OBJECT,
    /** A list of objects. */
    LIST,
    /** A watch. */
    WATCH,
    /** {@code /api} and {@code /apis}. */
    DISCOVERY,
    /** The rest of discovery. */
    DOCUMENT;

    /** The media types. */
    List<Wire> wires() {
        return this == WATCH
                ? List.of(Wire.JSON_LINES, Wire.SERVER_SENT_EVENTS)
                : List.of(Wire.JSON_LINES);
    }

    /** The shapes. */
    List<Shape> shapes() {
        return switch (this) {
            case OBJECT, LIST, WATCH ->
                    List.of(Shape.WHOLE, Shape.METADATA, Shape.METADATA_LIST, Shape.TABLE);
            case DISCOVERY -> List.of(Shape.WHOLE, Shape.DISCOVERY);
            case DOCUMENT -> List.of(Shape.WHOLE);
        };
    }

    /** The media types for messages (E-406). */
    String mediaTypes() {
        return wires().stream().map(Wire::contentType).collect(Collectors.joining(", "));
    }

    /** The same as the API server's router knows them: with what a path streams (E-406R). */
    String routedMediaTypes() {
        boolean streams = this == LIST || this == WATCH;
        return Stream.concat(
                        Stream.of(mediaTypes()),
                        streams ? Stream.of("application/json;stream=watch") : Stream.of())
                .collect(Collectors.joining(", "));
    }
}
