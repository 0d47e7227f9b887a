package io.kubemirror.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.server.ConnectionTracker.ClientConnection;

import org.junit.jupiter.api.Test;

/** Tests when a request takes too long to arrive. Times and bytes are plain numbers. */
class ClientConnectionTest {

    private static final int PATIENCE = 100;
    private static final boolean WAITING = true;
    private static final boolean BUSY = false;

    private final ClientConnection connection =
            new ClientConnection(InetAddress.getLoopbackAddress(), Optional.empty());
    private final ClientConnection refused =
            new ClientConnection(
                    InetAddress.getLoopbackAddress(),
                    Optional.of(StatusErrors.tooManyConnections("nobody has", "nothing")));

    @Test
    void first_request_must_arrive_in_time_whether_it_has_begun_or_not() {
        assertThat(isLate(connection, 0, WAITING, 1_000)).isFalse();
        assertThat(isLate(connection, 0, WAITING, 1_099)).isFalse();
        assertThat(isLate(connection, 50, WAITING, 1_099)).isFalse();
        assertThat(isLate(connection, 0, WAITING, 1_100)).isTrue();
        assertThat(isLate(connection, 50, WAITING, 1_100)).isTrue();
    }

    @Test
    void time_starts_when_the_server_first_waits_for_the_client() {
        assertThat(isLate(connection, 0, BUSY, 1_000_000)).isFalse();
        assertThat(isLate(connection, 0, WAITING, 2_000_000)).isFalse();
        assertThat(isLate(connection, 0, WAITING, 2_000_100)).isTrue();
    }

    @Test
    void time_restarts_when_bytes_arrive_that_a_slow_server_has_not_read() {
        assertThat(isLate(connection, 0, WAITING, 1_000)).isFalse();
        assertThat(isLate(connection, 0, BUSY, 1_099)).isFalse();
        assertThat(isLate(connection, 0, BUSY, 1_000_000)).isFalse();
        assertThat(isLate(connection, 50, WAITING, 1_000_050)).isFalse();
        assertThat(isLate(connection, 50, WAITING, 1_000_149)).isFalse();
        assertThat(isLate(connection, 50, WAITING, 1_000_150)).isTrue();
    }

    @Test
    void partially_read_next_request_is_not_late_while_the_server_is_busy() {
        connection.begun(false);
        connection.ended(80);

        assertThat(isLate(connection, 81, BUSY, 5_000)).isFalse();
        assertThat(isLate(connection, 81, BUSY, 1_000_000)).isFalse();
        assertThat(isLate(connection, 82, WAITING, 2_000_000)).isFalse();
        assertThat(isLate(connection, 82, WAITING, 2_000_100)).isTrue();
    }

    @Test
    void refused_client_must_disconnect_in_time_although_the_server_is_busy() {
        assertThat(isLate(refused, 0, BUSY, 4_000)).isFalse();
        refused.begun(false);
        refused.ended(80);

        assertThat(isLate(refused, 80, BUSY, 5_000)).isFalse();
        assertThat(isLate(refused, 80, BUSY, 5_100)).isTrue();
    }

    @Test
    void response_may_take_any_time() {
        connection.begun(false);

        assertThat(isLate(connection, 80, WAITING, 1_000_000)).isFalse();
        assertThat(isLate(connection, 90, WAITING, 2_000_000)).isFalse();
    }

    @Test
    void idle_connection_between_two_requests_is_not_late() {
        connection.begun(false);
        connection.ended(80);

        assertThat(isLate(connection, 80, WAITING, 1_500)).isFalse();
        assertThat(isLate(connection, 80, WAITING, 1_000_000)).isFalse();
    }

    @Test
    void further_request_must_arrive_in_time_from_its_first_byte() {
        connection.begun(false);
        connection.ended(80);

        assertThat(isLate(connection, 81, WAITING, 5_000)).isFalse();
        assertThat(isLate(connection, 82, WAITING, 5_099)).isFalse();
        assertThat(isLate(connection, 83, WAITING, 5_100)).isTrue();
    }

    @Test
    void request_restarts_the_time() {
        connection.begun(false);
        connection.ended(80);
        assertThat(isLate(connection, 81, WAITING, 5_000)).isFalse();
        connection.begun(false);
        connection.ended(160);

        assertThat(isLate(connection, 161, WAITING, 5_100)).isFalse();
        assertThat(isLate(connection, 161, WAITING, 5_200)).isTrue();
    }

    @Test
    void pipelined_request_is_not_late_while_it_is_served() {
        connection.begun(false);
        connection.begun(false);
        connection.ended(160);

        assertThat(isLate(connection, 170, WAITING, 1_000_000)).isFalse();
    }

    @Test
    void overlapping_requests_are_never_late() {
        connection.begun(true);
        connection.ended(80);

        assertThat(isLate(connection, 81, WAITING, 5_000)).isFalse();
        assertThat(isLate(connection, 82, WAITING, 1_000_000)).isFalse();
    }

    @Test
    void refused_client_whose_requests_overlap_must_disconnect_in_time() {
        refused.begun(true);
        refused.ended(80);

        assertThat(isLate(refused, 80, WAITING, 5_000)).isFalse();
        assertThat(isLate(refused, 90, WAITING, 5_100)).isTrue();
    }

    @Test
    void refused_client_must_disconnect_in_time() {
        refused.begun(false);
        refused.ended(80);

        assertThat(isLate(refused, 80, WAITING, 5_000)).isFalse();
        assertThat(isLate(refused, 80, WAITING, 5_100)).isTrue();
    }

    private static boolean isLate(
            ClientConnection connection, long bytes, boolean waiting, long now) {
        return connection.isLate(bytes, () -> waiting, now, PATIENCE);
    }
}
