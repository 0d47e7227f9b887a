package io.kubemirror.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.Status;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.util.Optional;

/** When a request takes too long to arrive; times and bytes are numbers here. */
class ClientConnectionTest {

    private static final int PATIENCE = 100;

    private final ClientConnection connection =
            new ClientConnection(InetAddress.getLoopbackAddress(), Optional.empty(), 1_000);

    @Test
    void the_first_request_has_to_come_in_time_whether_it_has_begun_or_not() {
        assertThat(connection.isLate(0, 1_099, PATIENCE)).isFalse();
        assertThat(connection.isLate(50, 1_099, PATIENCE)).isFalse();
        assertThat(connection.isLate(0, 1_100, PATIENCE)).isTrue();
        assertThat(connection.isLate(50, 1_100, PATIENCE)).isTrue();
    }

    @Test
    void an_answer_may_take_as_long_as_it_likes() {
        connection.begun(false);

        assertThat(connection.isLate(80, 1_000_000, PATIENCE)).isFalse();
        assertThat(connection.isLate(90, 2_000_000, PATIENCE)).isFalse();
    }

    @Test
    void between_two_requests_there_is_no_hurry() {
        connection.begun(false);
        connection.ended(80);

        assertThat(connection.isLate(80, 1_500, PATIENCE)).isFalse();
        assertThat(connection.isLate(80, 1_000_000, PATIENCE)).isFalse();
    }

    @Test
    void a_further_request_has_to_come_in_time_from_its_first_byte() {
        connection.begun(false);
        connection.ended(80);

        assertThat(connection.isLate(81, 5_000, PATIENCE)).isFalse();
        assertThat(connection.isLate(82, 5_099, PATIENCE)).isFalse();
        assertThat(connection.isLate(83, 5_100, PATIENCE)).isTrue();
    }

    @Test
    void a_request_that_has_come_begins_the_time_anew() {
        connection.begun(false);
        connection.ended(80);
        assertThat(connection.isLate(81, 5_000, PATIENCE)).isFalse();
        connection.begun(false);
        connection.ended(160);

        assertThat(connection.isLate(161, 5_100, PATIENCE)).isFalse();
        assertThat(connection.isLate(161, 5_200, PATIENCE)).isTrue();
    }

    @Test
    void a_request_that_came_with_the_one_before_is_not_late_while_it_is_answered() {
        connection.begun(false);
        connection.begun(false);
        connection.ended(160);

        assertThat(connection.isLate(170, 1_000_000, PATIENCE)).isFalse();
    }

    @Test
    void where_requests_overlap_none_is_late() {
        connection.begun(true);
        connection.ended(80);

        assertThat(connection.isLate(81, 5_000, PATIENCE)).isFalse();
        assertThat(connection.isLate(82, 1_000_000, PATIENCE)).isFalse();
    }

    @Test
    void whoever_has_been_refused_has_to_hang_up_in_time() {
        Status status = StatusErrors.tooManyConnections("nobody has", "nothing");
        ClientConnection refused =
                new ClientConnection(InetAddress.getLoopbackAddress(), Optional.of(status), 1_000);
        refused.begun(false);
        refused.ended(80);

        assertThat(refused.isLate(80, 5_000, PATIENCE)).isFalse();
        assertThat(refused.isLate(80, 5_100, PATIENCE)).isTrue();
    }
}
