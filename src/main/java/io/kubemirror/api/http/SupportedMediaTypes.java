package io.kubemirror.api.http;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The media types and shapes that an endpoint supports, the default first. */
public enum SupportedMediaTypes {
    /** One object. */
    OBJECT,
    /** A list of objects. */
    LIST,
    /** A watch. */
    WATCH,
    /** {@code /api} and {@code /apis}. */
    DISCOVERY,
    /** The other discovery documents. */
    DOCUMENT;

    /** Returns the media types. */
    List<WatchFraming> watchFramings() {
        return this == WATCH
                ? List.of(WatchFraming.JSON_LINES, WatchFraming.SERVER_SENT_EVENTS)
                : List.of(WatchFraming.JSON_LINES);
    }

    /** Returns the shapes. */
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

    /** Returns the media types for error messages (list-watch.md#errors). */
    String mediaTypes() {
        return watchFramings().stream()
                .map(WatchFraming::contentType)
                .collect(Collectors.joining(", "));
    }

    /**
     * Returns the media types as the API server's router lists them: including those of streams
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
