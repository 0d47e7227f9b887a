package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Map;

class LabelSelectorTest {

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\r\n"})
    void nothing_but_blanks_selects_everything(String text) throws SelectorException {
        LabelSelector selector = LabelSelector.parse(text);

        assertThat(selector.isEverything()).isTrue();
        assertThat(selector).isEqualTo(LabelSelector.everything());
        assertThat(selector.matches(Map.of())).isTrue();
    }

    @Test
    void any_requirement_is_not_everything() throws SelectorException {
        assertThat(LabelSelector.parse("!a").isEverything()).isFalse();
    }

    @Test
    void the_text_is_kept_as_it_was_written() throws SelectorException {
        assertThat(LabelSelector.parse(" b==c,a ").text()).isEqualTo(" b==c,a ");
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
    void selectors_of_the_same_demands_are_equal(String one, String other)
            throws SelectorException {
        assertThat(LabelSelector.parse(one))
                .isEqualTo(LabelSelector.parse(other))
                .hasSameHashCodeAs(LabelSelector.parse(other));
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
    void selectors_of_different_demands_are_not_equal(String one, String other)
            throws SelectorException {
        assertThat(LabelSelector.parse(one)).isNotEqualTo(LabelSelector.parse(other));
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
    void a_selector_is_within_what_follows_from_it(String inner, String outer)
            throws SelectorException {
        assertThat(LabelSelector.parse(inner).isWithin(LabelSelector.parse(outer))).isTrue();
        assertThat(LabelSelector.parse(outer).isWithin(LabelSelector.parse(inner))).isFalse();
    }

    @Test
    void every_selector_is_within_itself_and_within_everything() throws SelectorException {
        LabelSelector selector = LabelSelector.parse("a=b,!c,d>5,e notin (f),g");

        assertThat(selector.isWithin(selector)).isTrue();
        assertThat(selector.isWithin(LabelSelector.everything())).isTrue();
        assertThat(LabelSelector.everything().isWithin(selector)).isFalse();
    }

    @Test
    void what_follows_only_from_several_requirements_is_not_seen() throws SelectorException {
        LabelSelector both = LabelSelector.parse("a in (b,c),a!=c");

        assertThat(both.isWithin(LabelSelector.parse("a=b"))).isFalse();
    }

    @Test
    void a_key_of_any_length_is_refused_without_harm() {
        String key = "a.".repeat(100_000) + "a/b";

        assertThatThrownBy(() -> LabelSelector.parse(key))
                .isInstanceOf(SelectorException.class)
                .hasMessageEndingWith("\": prefix part must be no more than 253 bytes");
    }
}
