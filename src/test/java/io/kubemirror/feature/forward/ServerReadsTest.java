package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import module java.base;

import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which path and query a read has that the API server answers. */
class ServerReadsTest {

    @Test
    void target_has_the_escaped_segments_and_parameters() {
        Map<String, String> parameters = Map.of("limit", "", "k", "a+b&\u00fc");

        assertThat(target("", "", Map.of())).isEqualTo("/api/v1/configmaps");
        assertThat(target("a b", "x/../\\..", parameters))
                .isEqualTo(
                        "/api/v1/namespaces/a%20b/configmaps/x%2F..%2F%5C.."
                                + "?k=a%2Bb%26%C3%BC&limit=");
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "..", "%2e%2E", "x%"})
    void unsafe_path_segments_are_not_forwarded(String segment) {
        assertThatIllegalArgumentException().isThrownBy(() -> target(segment, "x", Map.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> target("a", segment, Map.of()));
    }

    private static String target(String namespace, String name, Map<String, String> parameters) {
        return ServerReads.target(ServedTypes.CONFIGMAPS, namespace, name, parameters);
    }
}
