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
                    a=b           | a==b       | true
                    a=b           | a in (b)   | true
                    a!=b          | a notin (b) | true
                    a=b,c         | c, a = b   | true
                    a in (b,c)    | a in (c,b,c) | true
                    a in ()       | a=         | true
                    a,a           | a          | true
                    a>5           | a>05       | true
                    a=b           | a=c        | false
                    a=b           | b=b        | false
                    a=b           | a!=b       | false
                    a             | !a         | false
                    a>5           | a<5        | false
                    a in (b,c)    | a in (b)   | false
                    a=b           | a=b,c      | false
                    """)
    void selectors_are_equal_if_their_requirements_are_equivalent(
            String one, String other, boolean equal) throws Rejection {
        Set<LabelSelector> parsed = new HashSet<>();
        parsed.add(LabelSelectorParser.parse(one));
        parsed.add(LabelSelectorParser.parse(other));

        assertThat(parsed).hasSize(equal ? 1 : 2);
    }

    /** {@link RequirementTest} shows which requirements imply each other. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    a=b           | a in (b,c)    | true
                    a=b,c=d       | c=d           | true
                    a=b,c=d       | c,a notin (x) | true
                    a notin (b,c) | a!=c          | true
                    a>5           | a>5           | true
                    a in (b,c)    | a=b           | false
                    c=d           | a=b,c=d       | false
                    # An implication of several requirements is not detected.
                    a in (b,c),a!=c | a=b         | false
                    """)
    void selector_is_within_selectors_whose_requirements_it_implies(
            String inner, String outer, boolean within) throws Rejection {
        assertThat(LabelSelectorParser.parse(inner).isWithin(LabelSelectorParser.parse(outer)))
                .isEqualTo(within);
    }

    @Test
    void every_selector_is_within_everything() throws Rejection {
        LabelSelector selector = LabelSelectorParser.parse("a=b,!c,d>5,e notin (f),g");

        assertThat(selector.isWithin(LabelSelector.everything())).isTrue();
        assertThat(LabelSelector.everything().isWithin(selector)).isFalse();
    }
}
