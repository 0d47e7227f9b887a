package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.FieldSelectorParser;
import io.kubemirror.api.http.Rejection;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FieldSelectorTest {

    private static final KubeObject POD =
            ModelSamples.pod("default/web", Map.of(), Map.of("spec.nodeName", "n=1,\\"));
    private static final KubeObject NODE = ModelSamples.pod("web", Map.of(), Map.of());

    @ParameterizedTest
    @ValueSource(strings = {"", ",", ",,,", "=", "==", "!=", ",=,"})
    void selector_without_requirements_selects_everything(String text) throws Rejection {
        FieldSelector selector = FieldSelectorParser.parse(text);

        assertThat(selector.isEverything()).isTrue();
        assertThat(selector.fields()).isEmpty();
        assertThat(selector).isEqualTo(FieldSelector.everything());
        assertThat(selector.matches(POD)).isTrue();
    }

    @Test
    void cluster_scoped_object_has_an_empty_namespace() throws Rejection {
        assertThat(FieldSelectorParser.parse("metadata.name=web,metadata.namespace=").matches(NODE))
                .isTrue();
        assertThat(FieldSelectorParser.parse("metadata.namespace=web").matches(NODE)).isFalse();
    }

    @Test
    void selector_fields_are_in_byte_order_of_their_terms() throws Rejection {
        String text = "z=1,a=2,\ud83d\ude00=3,\uffee=4,a b=5,a!=6";

        assertThat(FieldSelectorParser.parse(text).fields())
                .containsExactly("a b", "a", "z", "\uffee", "\ud83d\ude00");
    }

    @Test
    void only_equality_terms_require_a_value() throws Rejection {
        FieldSelector selector = FieldSelectorParser.parse("a=2,a==1,b!=3,c=");

        assertThat(selector.required("a")).contains("2");
        assertThat(selector.required("b")).isEmpty();
        assertThat(selector.required("c")).contains("");
        assertThat(selector.required("d")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    a=b     | a=b     | true
                    a=b     | a!=c    | true
                    a=b,c=d | c=d     | true
                    a=b     | a!=b    | false
                    a=b     | c!=d    | false
                    a!=b    | a=c     | false
                    a!=b    | a!=c    | false
                    a=b     | a=b,c=d | false
                    a=b     | ''      | true
                    ''      | a=b     | false
                    """)
    void selector_is_within_selectors_implied_by_its_terms(
            String inner, String outer, boolean within) throws Rejection {
        assertThat(FieldSelectorParser.parse(inner).isWithin(FieldSelectorParser.parse(outer)))
                .isEqualTo(within);
    }
}
