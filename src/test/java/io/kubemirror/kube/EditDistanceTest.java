package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EditDistanceTest {

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
        assertThat(EditDistance.between(from, to)).isEqualTo(letters);
        assertThat(EditDistance.between(to, from)).isEqualTo(letters);
    }
}
