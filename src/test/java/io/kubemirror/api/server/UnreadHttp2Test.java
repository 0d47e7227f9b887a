package io.kubemirror.api.server;

import static io.kubemirror.api.server.FrameClient.DATA;
import static io.kubemirror.api.server.FrameClient.PING;
import static io.kubemirror.api.server.FrameClient.SETTINGS;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.testing.WaitLimit;

import org.awaitility.Awaitility;
import org.eclipse.jetty.util.component.Dumpable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client of HTTP/2 sends while it does not read takes a fixed amount of memory. */
@Timeout(90)
class UnreadHttp2Test {

    private static final String LIST = "/api/v1/pods";
    private static final int WIDE = 1 << 24;
    private static final int WINDOW = 10;
    private static final int LAST = 999;

    /** Lists of more than the sockets of both sides hold. */
    private static final int LISTS = 40;

    /** Frames in a second are limited, too, so what is sent comes in parts. */
    private static final Duration SECOND = Duration.ofMillis(1100);

    /** Otherwise the idle timeout would end a connection in time for the test, too. */
    private static final String PATIENT = "--server.jetty.connection-idle-timeout=1h";

    private static ApiFixture serving(String... arguments) {
        ApiFixture served = Http2Test.serving(arguments);
        for (int i = 0; i < 10; i++) {
            served.writer()
                    .upsert(ApiSamples.object("a", "x" + i, 111 + i, "y".repeat(100 * 1024)));
        }
        return served;
    }

    /** Requests more than is read, and waits until the server cannot write any more. */
    private static void stall(ApiFixture served, FrameClient client) {
        client.pause();
        for (int stream = 3; stream <= 2 * LISTS + 1; stream += 2) {
            client.get(stream, LIST);
            client.grant(stream, WIDE);
        }
        WaitLimit.until(() -> isWriting(served));
        Awaitility.await().during(Duration.ofMillis(300)).until(() -> isWriting(served));
    }

    private static boolean isWriting(ApiFixture served) {
        return served.sessions()
                .allMatch(session -> BudgetedHttp2Factory.isWriting(session.getEndPoint()));
    }

    /** Waits until the server has read all frames, the last of which is another request. */
    private static void awaitReceived(ApiFixture served, FrameClient client) {
        client.get(LAST, LIST);
        WaitLimit.until(
                () -> served.sessions().allMatch(session -> session.getStream(LAST) != null));
    }

    /** The window updates that wait for the end of a write. */
    private static int waiting(ApiFixture served) {
        String text = Dumpable.dump(served.sessions().findFirst().orElseThrow());
        return Pattern.compile("windowQueue=(\\d+)")
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .mapToInt(found -> Integer.parseInt(found.substring("windowQueue=".length())))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void window_updates_are_added_up() {
        try (ApiFixture served = serving();
                FrameClient client = FrameClient.to(served.port(), WINDOW)) {
            client.get(1, LIST);
            stall(served, client);
            for (int i = 0; i < 10_000; i++) {
                client.grant(1, 1);
                client.grant(0, 1);
            }
            awaitReceived(served, client);

            // Those of the other streams wait, too, if the write was stuck before they arrived.
            assertThat(waiting(served)).isLessThanOrEqualTo(LISTS + 2);
        }
    }

    @Test
    void settings_that_change_all_windows_are_added_up() {
        try (ApiFixture served = serving();
                FrameClient client = FrameClient.to(served.port(), WINDOW)) {
            stall(served, client);
            for (int i = 1; i <= 50; i++) {
                client.send(
                        SETTINGS,
                        0,
                        0,
                        ByteBuffer.allocate(6).putShort((short) 4).putInt(WINDOW + i).array());
            }
            awaitReceived(served, client);

            assertThat(waiting(served)).isLessThanOrEqualTo(LISTS);
        }
    }

    @Test
    void sum_of_window_updates_applies() {
        try (ApiFixture served = serving();
                FrameClient client = FrameClient.to(served.port(), WINDOW)) {
            client.get(1, LIST);
            assertThat(client.status(1)).isEqualTo(200);
            assertThat(client.next(1).text()).hasSize(WINDOW);
            stall(served, client);
            for (int i = 0; i < 100; i++) {
                client.grant(1, 1);
            }
            awaitReceived(served, client);
            client.resume();
            int read = 0;
            while (read < 100) {
                FrameClient.Frame frame = client.next(1);
                assertThat(frame.type()).isEqualTo(DATA);
                read += frame.text().length();
            }
            assertThat(read).isEqualTo(100);
        }
    }

    @Test
    void too_many_answers_that_are_not_read_end_the_connection() {
        try (ApiFixture served = serving(PATIENT);
                FrameClient client = FrameClient.to(served.port(), WINDOW)) {
            stall(served, client);
            for (int i = 0; i < 3; i++) {
                ping(client, BudgetedHttp2Factory.FRAMES / 2);
                Awaitility.await().pollDelay(SECOND).until(() -> true);
            }
            WaitLimit.until(() -> served.gauge("kubemirror.connections.open") == 0);
        }
    }

    @Test
    void answers_that_are_read_do_not_end_the_connection() {
        try (ApiFixture served = serving();
                FrameClient client = FrameClient.to(served.port(), WINDOW)) {
            stall(served, client);
            for (int i = 0; i < 3; i++) {
                ping(client, BudgetedHttp2Factory.FRAMES / 3);
                client.resume();
                for (int j = 0; j < BudgetedHttp2Factory.FRAMES / 3; j++) {
                    assertThat(client.next(0).type()).isNotEqualTo(DATA);
                }
                Awaitility.await().pollDelay(SECOND).until(() -> true);
            }
            assertThat(client.isOpen()).isTrue();
        }
    }

    @Test
    void flood_of_a_client_that_reads_nothing_ends_the_connection_at_once() {
        try (ApiFixture served = serving(PATIENT);
                FrameClient client = FrameClient.to(served.port(), WINDOW)) {
            stall(served, client);
            ping(client, 2 * BudgetedHttp2Factory.FRAMES);

            WaitLimit.until(() -> served.gauge("kubemirror.connections.open") == 0);
        }
    }

    /** The reason of the end would wait for the client, too. */
    @Test
    void error_of_a_client_that_reads_nothing_ends_the_connection() {
        try (ApiFixture served = serving("--server.jetty.connection-idle-timeout=1s");
                FrameClient client = FrameClient.to(served.port(), WINDOW)) {
            stall(served, client);
            client.grant(0, 0);

            WaitLimit.until(() -> served.gauge("kubemirror.connections.open") == 0);
        }
    }

    @Test
    void client_that_reads_nothing_is_disconnected() {
        try (ApiFixture served = serving("--server.jetty.connection-idle-timeout=1s");
                FrameClient client = FrameClient.to(served.port(), WINDOW)) {
            stall(served, client);

            WaitLimit.until(() -> served.gauge("kubemirror.connections.open") == 0);
        }
    }

    private static void ping(FrameClient client, int times) {
        for (int i = 0; i < times; i++) {
            client.send(PING, 0, 0, new byte[8]);
        }
    }
}
