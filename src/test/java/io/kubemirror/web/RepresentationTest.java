package io.kubemirror.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** What clients accept (spec 2.1). */
class RepresentationTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "application/json",
                "*/*",
                "application/*",
                "application/json;charset=utf-8",
                "application/json;stream=watch",
                "application/vnd.kubernetes.protobuf,application/json",
                "application/vnd.kubernetes.protobuf, */*",
                "application/cbor;q=1,application/json;q=0.9",
                "application/json;q=0",
                "application/json;q=x, text/plain",
                "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
            })
    void json_is_what_most_clients_take(String accept) throws Rejection {
        assertThat(choose(accept, Representation.OF_DOCUMENTS)).isEqualTo(Representation.JSON);
    }

    @Test
    void no_header_means_json() throws Rejection {
        assertThat(choose(null, Representation.OF_WATCHES)).isEqualTo(Representation.JSON);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/vnd.kubernetes.protobuf",
                "text/plain",
                "text/event-stream",
                "APPLICATION/JSON",
                "application/json;stream=x",
                "application/json;as=Table;v=v1;g=meta.k8s.io",
                "application/json;as=Table",
                "application/json;g=meta.k8s.io;v=v1"
            })
    void nothing_else_is_served(String accept) {
        Rejection rejection =
                catchThrowableOfType(
                        Rejection.class, () -> choose(accept, Representation.OF_DOCUMENTS));
        assertThat(rejection.reply().code()).isEqualTo(406);
        assertThat(new String(rejection.reply().body(), StandardCharsets.UTF_8))
                .contains("\"only the following media types are accepted: application/json\"");
    }

    @Test
    void a_watch_can_be_sent_as_events_too() throws Rejection {
        assertThat(choose("text/event-stream", Representation.OF_WATCHES))
                .isEqualTo(Representation.EVENT_STREAM);
        assertThat(choose("application/json, text/event-stream", Representation.OF_WATCHES))
                .isEqualTo(Representation.JSON);
        assertThat(choose("application/json;q=0.5, text/event-stream", Representation.OF_WATCHES))
                .isEqualTo(Representation.EVENT_STREAM);
        assertThat(choose("*/*, text/event-stream", Representation.OF_WATCHES))
                .isEqualTo(Representation.EVENT_STREAM);
    }

    @Test
    void aggregated_discovery_is_asked_for_by_three_parameters() throws Rejection {
        String aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        assertThat(choose(aggregated + ",application/json", Representation.OF_DISCOVERY))
                .isEqualTo(Representation.AGGREGATED);
        assertThat(choose(aggregated + ";profile=nopeer", Representation.OF_DISCOVERY))
                .isEqualTo(Representation.AGGREGATED);
        assertThat(
                        choose(
                                aggregated.replace("v2", "v2beta1") + ",application/json",
                                Representation.OF_DISCOVERY))
                .isEqualTo(Representation.JSON);
    }

    private static Representation choose(@Nullable String accept, List<Representation> offered)
            throws Rejection {
        return Representation.choose(accept, offered);
    }
}
