package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.Rejection;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LabelSelectorTest {

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\r\n"})
    void blank_selector_selects_everything(String text) throws Rejection {
        LabelSelector selector = LabelSelectorParser.parse(text);

        assertThat(selector.isEverything()).isTrue();
        assertThat(selector).isEqualTo(LabelSelector.everything());
        assertThat(selector.matches(Map.of())).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    a=b           | a==b
                    a=b           | a in (b)
                    a!=b          | a notin (b)
                    a=b,c         | c, a = b
                    a in (b,c)    | a in (c,b,c)
                    a in ()       | a=
                    a,a           | a
                    a>5           | a>05
                    """)
    void selectors_with_equivalent_requirements_are_equal(String one, String other)
            throws Rejection {
        assertThat(LabelSelectorParser.parse(one))
                .isEqualTo(LabelSelectorParser.parse(other))
                .hasSameHashCodeAs(LabelSelectorParser.parse(other));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    a=b           | a=c
                    a=b           | b=b
                    a=b           | a!=b
                    a             | !a
                    a>5           | a<5
                    a in (b,c)    | a in (b)
                    a=b           | a=b,c
                    """)
    void selectors_with_different_requirements_are_not_equal(String one, String other)
            throws Rejection {
        assertThat(LabelSelectorParser.parse(one)).isNotEqualTo(LabelSelectorParser.parse(other));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    a=b           | a
                    a=b           | a in (b,c)
                    a=b           | a!=x
                    a=b,c=d       | c=d
                    a=b,c=d       | c,a notin (x)
                    a in (6,7)    | a>5
                    a>5           | a>4
                    a>5           | a!=5
                    a<5           | a
                    !a            | a!=b
                    a notin (b,c) | a!=c
                    """)
    void selector_is_within_selectors_it_implies(String inner, String outer) throws Rejection {
        assertThat(LabelSelectorParser.parse(inner).isWithin(LabelSelectorParser.parse(outer)))
                .isTrue();
        assertThat(LabelSelectorParser.parse(outer).isWithin(LabelSelectorParser.parse(inner)))
                .isFalse();
    }

    @Test
    void every_selector_is_within_itself_and_within_everything() throws Rejection {
        LabelSelector selector = LabelSelectorParser.parse("a=b,!c,d>5,e notin (f),g");

        assertThat(selector.isWithin(selector)).isTrue();
        assertThat(selector.isWithin(LabelSelector.everything())).isTrue();
        assertThat(LabelSelector.everything().isWithin(selector)).isFalse();
    }

    @Test
    void implication_from_combined_requirements_is_not_detected() throws Rejection {
        LabelSelector both = LabelSelectorParser.parse("a in (b,c),a!=c");

        assertThat(both.isWithin(LabelSelectorParser.parse("a=b"))).isFalse();
    }
}
