package io.kubemirror.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.Representation.Accept;
import io.kubemirror.api.http.Representation.SupportedMediaTypes;

import org.junit.jupiter.api.Test;

/** Which media type of several clients get; parity cases show which are served at all. */
class RepresentationTest {

    @Test
    void quality_then_specificity_then_order_selects_the_media_type() throws Rejection {
        String events = "text/event-stream";
        assertThat(choose("application/json;q=0.5, " + events, SupportedMediaTypes.WATCH).framing())
                .isEqualTo(WatchFraming.SERVER_SENT_EVENTS);
        assertThat(choose("*/*, " + events, SupportedMediaTypes.WATCH).framing())
                .isEqualTo(WatchFraming.SERVER_SENT_EVENTS);
        assertThat(choose("application/json, " + events, SupportedMediaTypes.WATCH).framing())
                .isEqualTo(WatchFraming.JSON_LINES);
        assertThat(
                        choose(events + ";q=0, application/json;q=0.1", SupportedMediaTypes.WATCH)
                                .framing())
                .isEqualTo(WatchFraming.JSON_LINES);
        assertThat(choose(events, SupportedMediaTypes.WATCH).framing())
                .isEqualTo(WatchFraming.SERVER_SENT_EVENTS);
    }

    private static Representation choose(String accept, SupportedMediaTypes mediaTypes)
            throws Rejection {
        return Representation.choose(Accept.parse(accept), mediaTypes, List.of(), true);
    }
}
