package io.kubemirror.feature.table;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Paths as definitions of custom resources write them; the values are those of a 1.36 server. */
class JsonPathTest {

    private static final JsonNode OBJECT =
            new JsonMapper()
                    .readTree(
                            """
                            {"metadata":{"labels":{"example.com/x":"lab"}},
                             "spec":{"str":"hello","obj":{"name":"nm"},"empty":[],"map":{"k":"v"},
                               "list":[{"a":"x","n":1,"on":false},
                                       {"a":"y","b":"bb","n":2,"on":true},
                                       {"a":"z","n":3.5}]}}
                            """);

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/feature/table/json-paths.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void json_path_returns_the_first_match(String path, String value) {
        assertThat(
                        JsonPath.parse(path)
                                .orElseThrow()
                                .first(OBJECT)
                                .map(JsonNode::toString)
                                .orElse("null"))
                .isEqualTo(value);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/feature/table/foreign-json-paths.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void path_that_no_definition_has_is_not_understood(String path) {
        assertThat(JsonPath.parse(path)).isEmpty();
    }
}
