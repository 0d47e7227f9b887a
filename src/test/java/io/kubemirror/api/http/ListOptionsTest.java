package io.kubemirror.api.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.kubemirror.api.ApiClient;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.nio.charset.StandardCharsets;

/** Which options can be combined (list-watch.md#options). */
class ListOptionsTest {

    private static final String MATCH = "resourceVersionMatch";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "resourceVersionMatch=Exact|resourceVersionMatch is forbidden unless"
                        + " resourceVersion is provided",
                "resourceVersionMatch=Exact&resourceVersion=5&continue=x|resourceVersionMatch is"
                        + " forbidden when continue is provided",
                "resourceVersionMatch=Exact&resourceVersion=0|resourceVersionMatch \"exact\" is"
                        + " forbidden for resourceVersion \"0\"",
                "sendInitialEvents=false|sendInitialEvents is forbidden for list"
            })
    void va_1_to_va_5_forbidden_list_options_are_rejected(String query, String why) {
        JsonNode status = listError(query);
        assertThat(status.at("/details/causes/0/message").asString())
                .isEqualTo("Forbidden: " + why);
        assertThat(status.at("/details/causes/0/reason").asString())
                .isEqualTo("FieldValueForbidden");
        assertThat(status.path("code").asInt()).isEqualTo(422);
    }

    @Test
    void va_3_resource_version_match_is_case_sensitive() {
        JsonNode status = listError("resourceVersionMatch=exact&resourceVersion=5");
        assertThat(status.path("message").asString())
                .isEqualTo(
                        "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch:"
                                + " Unsupported value: \"exact\": supported values: \"Exact\","
                                + " \"NotOlderThan\", \"\"");
        assertThat(status.at("/details/causes/0/reason").asString())
                .isEqualTo("FieldValueNotSupported");
    }

    @Test
    void va_3_rejected_resource_version_match_is_quoted_as_json() {
        JsonNode status = listError("resourceVersionMatch=%3Cb%3E&resourceVersion=5");
        assertThat(status.at("/details/causes/0/message").asString())
                .startsWith("Unsupported value: \"\\u003cb\\u003e\": supported values: ");
    }

    @Test
    void va_6_and_va_8_are_both_reported() {
        JsonNode status =
                watchError("resourceVersion=5&sendInitialEvents=true&resourceVersionMatch=Exact");
        assertThat(status.path("message").asString())
                .isEqualTo(
                        "ListOptions.meta.k8s.io \"\" is invalid: [resourceVersionMatch: Forbidden:"
                            + " sendInitialEvents requires setting resourceVersionMatch to"
                            + " NotOlderThan, resourceVersionMatch: Unsupported value: \"Exact\":"
                            + " supported values: \"NotOlderThan\"]");
        assertThat(status.at("/details/causes")).hasSize(2);
    }

    @Test
    void va_7_resource_version_match_of_a_watch_requires_send_initial_events() {
        JsonNode status = watchError("resourceVersion=5&resourceVersionMatch=NotOlderThan");
        assertThat(status.at("/details/causes/0/message").asString())
                .isEqualTo(
                        "Forbidden: resourceVersionMatch is forbidden for watch unless"
                                + " sendInitialEvents is provided");
        assertThat(status.at("/details/causes/0/field").asString()).isEqualTo(MATCH);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "continue=x",
                "continue=x&resourceVersion=0",
                "resourceVersion=5&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x"
            })
    void va_9_and_va_13_watch_with_initial_events_rejects_a_continue_token(String query) {
        assertThat(watchError(query).at("/details/causes/0/message").asString())
                .isEqualTo(
                        "Forbidden: resourceVersionMatch is forbidden when continue is provided");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "limit=5",
                "resourceVersion=5&continue=x",
                "resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan"
            })
    void valid_watch_options_are_accepted(String query) {
        assertThatCode(() -> options(query).withWatchDefaults().checkWatch())
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "resourceVersionMatch=",
                "resourceVersion=5&resourceVersionMatch=Exact&limit=1",
                "resourceVersion=0&resourceVersionMatch=NotOlderThan",
                "continue=x&limit=1"
            })
    void valid_list_options_are_accepted(String query) {
        assertThatCode(() -> options(query).checkList()).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "limit=,'',invalid syntax",
        "limit=x,x,invalid syntax",
        "limit=1.5,1.5,invalid syntax",
        "timeoutSeconds=9223372036854775808,9223372036854775808,value out of range"
    })
    void de_2_numbers_are_validated_like_go(String query, String text, String why) {
        Rejection rejection = catchThrowableOfType(Rejection.class, () -> options(query));
        assertThat(status(rejection).path("message").asString())
                .isEqualTo("strconv.ParseInt: parsing \"" + text + "\": " + why);
    }

    private static ListOptions options(String query) throws Rejection {
        return ListOptions.decode(Query.parse(query), false);
    }

    private static JsonNode listError(String query) {
        return status(catchThrowableOfType(Rejection.class, () -> options(query).checkList()));
    }

    private static JsonNode watchError(String query) {
        return status(
                catchThrowableOfType(
                        Rejection.class, () -> options(query).withWatchDefaults().checkWatch()));
    }

    private static JsonNode status(Rejection rejection) {
        return ApiClient.tree(new String(rejection.reply().body(), StandardCharsets.UTF_8));
    }
}
