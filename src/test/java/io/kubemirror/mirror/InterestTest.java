package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.selection;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A selection is looked up by the interests that narrow it most; {@link NotifierTest} shows that
 * they include everything that it selects.
 */
class InterestTest {

    @ParameterizedTest
    @CsvSource({
        "'', '', '', Everything[]",
        "a, '', '', Within[namespace=a]",
        "a, app=v, metadata.name=x, 'Named[namespace=a, name=x]'",
        "'', app=v, '', 'Valued[isLabel=true, name=app, value=v]'",
        "a, app notin (v), '', Within[namespace=a]",
        "'', app!=v, metadata.namespace=b, Within[namespace=b]",
        "'', '', spec.nodeName=, Everything[]"
    })
    void selection_is_looked_up_by_what_is_likely_to_be_narrow(
            String namespace, String labels, String fields, String interest) {
        assertThat(Interest.of(selection(namespace, labels, fields))).hasToString(interest);
    }

    @Test
    void selection_of_several_values_has_as_many_candidates() {
        assertThat(Interest.candidates(selection("a", "app=v,tier in (x),!old", "spec.nodeName=n")))
                .containsExactly(
                        new Interest.Valued(false, "spec.nodeName", "n"),
                        new Interest.Valued(true, "app", "v"),
                        new Interest.Valued(true, "tier", "x"),
                        new Interest.Within("a"));
        assertThat(Interest.candidates(selection("", "app in (v,w)", "")))
                .containsExactly(new Interest.Everything());
    }
}
