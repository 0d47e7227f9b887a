package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import module java.base;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FieldPathTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    spec                                   | spec
                    spec.nodeName                          | spec,nodeName
                    .spec.nodeName                         | spec,nodeName
                    metadata.annotations['example.com/a.b'] | metadata,annotations,example.com/a.b
                    metadata.labels['a']['b'].c_d-1        | metadata,labels,a,b,c_d-1
                    ['spec'].x                             | spec,x
                    data['$ref [0]']                       | data,$ref [0]
                    """)
    void field_path_is_parsed_into_segments(String text, String segments) {
        assertThat(FieldPath.parse(text).segments()).containsExactly(segments.split(","));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "..a",
                "a.",
                "a..b",
                "a[",
                "a['",
                "a['b",
                "a['b'",
                "a[b]",
                "a['']",
                "a['b'c']",
                "a['b']c",
                "a.['b']",
                "a]",
                "a'b",
                "a[0]",
                "a[\"b\"]",
                " a",
                "a b",
                "$.a",
                "{.a}",
                "a.*",
                "a/b",
            })
    void invalid_field_path_is_rejected(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FieldPath.parse(text))
                .withMessageStartingWith("'" + text + "' is not a field path");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a.b-c.d_e", "a['b.c'].d", "['a/b'].c['d']['e f']"})
    void printed_field_path_parses_to_an_equal_path(String text) {
        FieldPath path = FieldPath.parse(text);

        assertThat(FieldPath.parse(path.toString())).isEqualTo(path);
    }
}
