package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.Permission.Verb;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamesTest {

    @ParameterizedTest
    @CsvSource({
        "pods, pods, 0",
        "pod, pods, 1",
        "podds, pods, 1",
        "pots, pods, 1",
        "opds, pods, 2",
        "kitten, sitting, 3",
        "'', pods, 4",
        "pods, '', 4",
    })
    void distance_is_the_number_of_letters_to_change(String from, String to, int letters) {
        assertThat(Names.distance(from, to)).isEqualTo(letters);
        assertThat(Names.distance(to, from)).isEqualTo(letters);
    }

    @Test
    void constant_is_spelled_in_kebab_case() {
        assertThat(Names.kebab(Verb.DELETECOLLECTION)).isEqualTo("deletecollection");
        assertThat(Names.kebab(Thread.State.TIMED_WAITING)).isEqualTo("timed-waiting");
    }
}
