package io.kubemirror.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.feature.forward.PassThroughProperties;
import io.kubemirror.feature.forward.PassThroughProperties.Mode;

import org.junit.jupiter.api.Test;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;

/** The API server does not know the parameters of feature.query, so nothing with them is passed. */
class PassedOrderTest {

    @Test
    void list_of_a_type_that_is_not_mirrored_is_refused_even_if_others_are_passed_on() {
        PassThroughProperties own = new PassThroughProperties(Mode.OWN, List.of(), false);
        try (ApiFixture passing = ApiFixture.of(Map.of("passThroughProperties", own), "pods")) {
            for (String query : List.of("sortBy=metadata.name", "count=only", "groupBy=a")) {
                HttpResponse<String> answer =
                        passing.client().get("/apis/apps/v1/deployments?" + query);
                assertThat(answer.statusCode()).isEqualTo(400);
                assertThat(answer.body()).contains("is not supported: kubemirror does not mirror");
            }
        }
    }
}
