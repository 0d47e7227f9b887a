package io.kubemirror.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                ".spec.str | \"hello\"",
                ".spec['str'] | \"hello\"",
                ".spec[\"str\"] | \"hello\"",
                ".spec['missing','str'] | \"hello\"",
                ".spec.obj.name | \"nm\"",
                ".spec.map.* | \"v\"",
                ".spec.empty | []",
                ".metadata.labels.example\\.com/x | \"lab\"",
                ".metadata.labels['example\\.com/x'] | \"lab\"",
                ".metadata.labels['example.com/x'] | \"lab\"",
                ".spec.list[1].a | \"y\"",
                ".spec.list[-1].a | \"z\"",
                ".spec.list[*].a | \"x\"",
                ".spec.list[0:2].a | \"x\"",
                ".spec.list[1:].a | \"y\"",
                ".spec.list[-2:-1].a | \"y\"",
                ".spec.list[::2].b | null",
                ".spec.list[1::2].b | \"bb\"",
                ".spec.list[0,1].b | \"bb\"",
                ".spec.list[?(@.a==\"y\")].b | \"bb\"",
                ".spec.list[?(@.a=='y')].b | \"bb\"",
                ".spec.list[?( @.a == 'y' )].b | \"bb\"",
                ".spec.list[?(@.a!=\"x\")].a | \"y\"",
                ".spec.list[?(@.n>1)].n | 2",
                ".spec.list[?(@.n>=3.5)].a | \"z\"",
                ".spec.list[?(@.n<=1)].a | \"x\"",
                ".spec.list[?(1<@.n)].a | \"y\"",
                ".spec.list[?(@.n<0)].a | null",
                ".spec.list[?(@.b)].a | \"y\"",
                ".spec.list[?(@.on==true)].a | \"y\"",
                ".spec.list[?(@.missing==\"x\")].a | null",
                ".spec.list[?(@.n==\"1\")].a | null",
                "..name | \"nm\"",
                ".spec..b | \"bb\"",
                "..[1].b | \"bb\"",
                ".spec.list[9].a | null",
                ".spec.list[-9].a | null",
                ".spec.str.more | null",
                ".spec.str[0] | null",
                ".spec.missing.more | null",
            })
    void json_path_returns_the_first_match(String path, String value) {
        assertThat(JsonPath.parse(path).first(OBJECT).map(JsonNode::toString).orElse("null"))
                .isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spec.str",
                "$.spec",
                ".",
                ".spec[",
                ".spec[x]",
                ".spec.list[?(@.a==)]",
                ".spec.list[?(@.a==\"y\"]",
                ".spec.list[?(@.a]",
                ".spec.str]",
                ".spec.list[99999999999]",
                ".spec {.str}"
            })
    void invalid_json_path_returns_nothing(String path) {
        assertThat(JsonPath.parse(path).first(OBJECT)).isEmpty();
    }
}
