package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

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
    void a_path_is_cut_into_segments(String text, String segments) {
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
    void what_is_not_a_path_is_refused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FieldPath.parse(text))
                .withMessageStartingWith("'" + text + "' is not a field path");
    }

    @Test
    void a_path_has_segments_and_none_is_empty() {
        assertThatIllegalArgumentException().isThrownBy(() -> new FieldPath(List.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> new FieldPath(List.of("a", "")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a.b-c.d_e", "a['b.c'].d", "['a/b'].c['d']['e f']"})
    void a_printed_path_reads_back(String text) {
        FieldPath path = FieldPath.parse(text);

        assertThat(FieldPath.parse(path.toString())).isEqualTo(path);
    }

    @Test
    void quotes_are_printed_only_where_they_are_needed() {
        assertThat(FieldPath.parse(".spec['node'].x['a.b']")).hasToString("spec.node.x['a.b']");
    }
}
