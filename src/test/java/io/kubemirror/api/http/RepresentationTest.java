package io.kubemirror.api.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.kubemirror.api.http.Representation.Accept;
import io.kubemirror.api.http.Representation.ResponseShape;
import io.kubemirror.api.http.Representation.SupportedMediaTypes;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** What clients accept (list-watch.md#content-negotiation). */
class RepresentationTest {

    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "application/json",
                "*/*",
                "*",
                "application/*",
                "application/json;charset=utf-8",
                "application/json;stream=watch",
                "application/vnd.kubernetes.protobuf,application/json",
                "application/vnd.kubernetes.protobuf, */*",
                "application/cbor;q=1,application/json;q=0.9",
                "application/json;q=0.9,application/cbor;q=1",
                "application/json;q=0",
                "application/json;q=x, text/plain",
                "application/json;as=Foo;v=v1;g=meta.k8s.io,application/json",
                "application/json;as=Table,application/json",
                "application/json;as=Table;v=v2;g=meta.k8s.io,application/json",
                "application/json;as=Table;v=v1;g=example.com,application/json",
                "application/json;g=meta.k8s.io;v=v1,*/*"
            })
    void common_accept_headers_select_json(String accept) throws Rejection {
        Representation chosen = choose(accept, SupportedMediaTypes.LIST);
        assertThat(chosen.framing()).isEqualTo(WatchFraming.JSON_LINES);
        assertThat(chosen.shape()).isEqualTo(ResponseShape.WHOLE);
    }

    @Test
    void missing_accept_header_selects_json() throws Rejection {
        assertThat(choose(null, SupportedMediaTypes.WATCH).framing())
                .isEqualTo(WatchFraming.JSON_LINES);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/vnd.kubernetes.protobuf",
                "application/yaml",
                "text/plain, application/json;stream=x",
                "application/json;stream=x",
                "application/json;as=Foo;v=v1;g=meta.k8s.io",
                "application/json;as=Table",
                "application/json;g=meta.k8s.io;v=v1"
            })
    void representations_known_to_the_api_server_only_are_rejected(String accept) {
        assertThat(refusal(accept, SupportedMediaTypes.OBJECT, true))
                .contains(
                        "\"only the following media types are accepted:"
                                + " application/json\",\"reason\":\"NotAcceptable\",\"code\":406}");
        assertThat(refusal(accept, SupportedMediaTypes.WATCH, true))
                .contains("accepted: application/json, text/event-stream\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "APPLICATION/JSON", "image/*", "application/cbor"})
    void unknown_media_types_are_rejected_like_api_server(String accept) {
        assertThat(refusal(accept, SupportedMediaTypes.OBJECT, true))
                .contains(
                        "\"406: Not Acceptable\\n"
                            + "\\n"
                            + "Available representations:"
                            + " application/json\",\"reason\":\"NotAcceptable\",\"details\":{},\"code\":406}");
        assertThat(refusal(accept, SupportedMediaTypes.LIST, true))
                .contains("representations: application/json, application/json;stream=watch\"");
        assertThat(refusal(accept, SupportedMediaTypes.LIST, false))
                .contains("\"only the following media types are accepted: application/json\"");
    }

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

    @Test
    void aggregated_discovery_requires_three_media_type_parameters() throws Rejection {
        String aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        assertThat(choose(aggregated + ",application/json", SupportedMediaTypes.DISCOVERY).shape())
                .isEqualTo(ResponseShape.DISCOVERY);
        assertThat(choose(aggregated + ";profile=nopeer", SupportedMediaTypes.DISCOVERY).shape())
                .isEqualTo(ResponseShape.DISCOVERY);
        assertThat(
                        choose(
                                        aggregated.replace("v2", "v2beta1") + ",application/json",
                                        SupportedMediaTypes.DISCOVERY)
                                .shape())
                .isEqualTo(ResponseShape.WHOLE);
        assertThat(refusal(TABLE, SupportedMediaTypes.DISCOVERY, true))
                .contains("only the following");
    }

    private static Representation choose(@Nullable String accept, SupportedMediaTypes mediaTypes)
            throws Rejection {
        return Representation.choose(Accept.parse(accept), mediaTypes, List.of(), true);
    }

    private static String refusal(String accept, SupportedMediaTypes mediaTypes, boolean builtIn) {
        Rejection rejection =
                catchThrowableOfType(
                        Rejection.class,
                        () ->
                                Representation.choose(
                                        Accept.parse(accept), mediaTypes, List.of(), builtIn));
        assertThat(rejection.reply().code()).isEqualTo(406);
        return new String(rejection.reply().body(), StandardCharsets.UTF_8);
    }
}
