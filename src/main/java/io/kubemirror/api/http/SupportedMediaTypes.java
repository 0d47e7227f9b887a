package io.kubemirror.api.http;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What an endpoint can answer with, the default first. */
public enum SupportedMediaTypes {
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
    List<WatchFraming> watchFramings() {
        return this == WATCH
                ? List.of(WatchFraming.JSON_LINES, WatchFraming.SERVER_SENT_EVENTS)
                : List.of(WatchFraming.JSON_LINES);
    }

    /** The shapes. */
    List<ResponseShape> shapes() {
        return switch (this) {
            case OBJECT, LIST, WATCH ->
                    List.of(
                            ResponseShape.WHOLE,
                            ResponseShape.METADATA,
                            ResponseShape.METADATA_LIST,
                            ResponseShape.TABLE);
            case DISCOVERY -> List.of(ResponseShape.WHOLE, ResponseShape.DISCOVERY);
            case DOCUMENT -> List.of(ResponseShape.WHOLE);
        };
    }

    /** The media types for messages (list-watch.md#errors). */
    String mediaTypes() {
        return watchFramings().stream()
                .map(WatchFraming::contentType)
                .collect(Collectors.joining(", "));
    }

    /**
     * The same as the API server's router knows them: with what a path streams
     * (list-watch.md#errors).
     */
    String routedMediaTypes() {
        boolean streams = this == LIST || this == WATCH;
        return Stream.concat(
                        Stream.of(mediaTypes()),
                        streams ? Stream.of("application/json;stream=watch") : Stream.of())
                .collect(Collectors.joining(", "));
    }
}
