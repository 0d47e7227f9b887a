package io.kubemirror.feature.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.model.Revision;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StreamCursorTest {

    private final StreamCursor cursors = new StreamCursor(List.of("pods", "nodes"));

    @Test
    void cursor_has_the_revision_of_each_resource() throws Rejection {
        List<Revision> reached = List.of(new Revision("110"), new Revision("7"));

        assertThat(cursors.decode(cursors.encode(new ArrayList<>(reached)), 2)).isEqualTo(reached);
    }

    /** Anybody can compute the code of a cursor, which has no secret. */
    @ParameterizedTest
    @ValueSource(strings = {"5", "5.1", "5.1.1.1", "!.1.1", ".1.1", "5.1.?", "5.1.-", "5.6.1"})
    void cursor_with_a_code_and_without_positions_is_refused(String positions) {
        assertThatThrownBy(() -> cursors.decode(positions + "." + cursors.code(positions), 2))
                .isInstanceOf(Rejection.class);
    }
}
