package io.kubemirror.api.encode;

import static io.kubemirror.api.encode.OrderedItems.item;
import static io.kubemirror.api.encode.OrderedItems.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.model.KubeObject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

class ValuePathTest {

    private static final KubeObject POD =
            item(
                    "a/x",
                    7,
                    """
                    ,"spec":{"replicas": 3 ,"paused":true,"note":"a \\"b\\" \\u00e4","none":null,
                    "empty":"","containers":[{"name":"c{","cpu":"100m"},{"name":"d","cpu":"2"}]},
                    "status":{"example.com/at":"2026-01-01T00:00:00Z","last":1}\
                    """);

    @ParameterizedTest
    @CsvFileSource(resources = "/io/kubemirror/api/encode/paths.csv", quoteCharacter = '\'')
    void value_of_a_path_is_read(String path, String value) {
        assertThat(path(path).of(POD)).isEqualTo(value);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/api/encode/missing-paths.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void absent_null_and_nested_values_are_missing(String path) {
        assertThat(path(path).of(POD)).isNull();
    }

    @Test
    void empty_value_is_not_missing() {
        assertThat(path("spec.empty").of(POD)).isEmpty();
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/api/encode/malformed-paths.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void malformed_path_is_refused(String path) {
        assertThatThrownBy(() -> path(path)).isInstanceOf(IllegalArgumentException.class);
    }
}
