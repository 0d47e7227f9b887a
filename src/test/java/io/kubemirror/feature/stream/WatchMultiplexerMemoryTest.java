package io.kubemirror.feature.stream;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import com.sun.management.HotSpotDiagnosticMXBean;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.testing.LiveHeap;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;

/** An idle stream of many resources is small (list-watch.md#ms-8). */
@Timeout(300)
class WatchMultiplexerMemoryTest {

    private static final int TYPES = 50;
    private static final int STREAMS = 100;
    private static final int ROUNDS = 5;

    @Test
    void stream_of_fifty_types_takes_at_most_32_kilobytes() throws Exception {
        String[] names =
                IntStream.range(0, TYPES)
                        .mapToObj(number -> ServedTypes.numbered(number).groupResource())
                        .toArray(String[]::new);
        String path =
                "/kubemirror/v1/watch?stateBookmarks=false&resource="
                        + String.join("&resource=", names);
        List<Socket> clients = new ArrayList<>();
        try (ApiFixture served = ApiFixture.of(names)) {
            for (int i = 0; i < TYPES; i++) {
                served.writer(i).identify(ServedTypes.numbered(i), DeclaredFields.NONE);
                ApiSamples.synchronize(served.writer(i), 100 + i);
            }
            // What the first streams load forever is none of the later ones'.
            open(served.port(), path, STREAMS / 10, clients);
            // What earlier tests leave goes at any time, so a difference may be too small or too
            // large. One of several rounds is not disturbed; a stream that is too large is in each.
            List<Long> rounds = new ArrayList<>();
            while (rounds.size() < ROUNDS && rounds.stream().noneMatch(this::isExpected)) {
                long before = LiveHeap.bytes();
                open(served.port(), path, STREAMS, clients);
                rounds.add((LiveHeap.bytes() - before) / STREAMS);
            }
            System.out.printf("MEASURED %s bytes for a stream of %d types%n", rounds, TYPES);
            assertThat(rounds).anyMatch(this::isExpected);
        } finally {
            for (Socket client : clients) {
                client.close();
            }
        }
    }

    private boolean isExpected(long bytes) {
        return bytes >= 1_000 && bytes <= most();
    }

    /** The goal for the JVM as it is shipped, and more where the headers of objects are larger. */
    private static long most() {
        boolean compact =
                Boolean.parseBoolean(
                        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                                .getVMOption("UseCompactObjectHeaders")
                                .getValue());
        return (compact ? 32 : 40) * 1024L;
    }

    /** Opens streams, and reads each up to the end of its last state. */
    private static void open(int port, String path, int count, List<Socket> clients)
            throws IOException {
        for (int i = 0; i < count; i++) {
            Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
            clients.add(client);
            String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
            client.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            awaitStates(client.getInputStream());
        }
    }

    private static void awaitStates(InputStream in) throws IOException {
        StringBuilder read = new StringBuilder();
        byte[] bytes = new byte[8_192];
        while (IntStream.iterate(
                                read.indexOf("initial-events-end"),
                                at -> at >= 0,
                                at -> read.indexOf("initial-events-end", at + 1))
                        .count()
                < TYPES) {
            int size = in.read(bytes);
            assertThat(size).isPositive();
            read.append(new String(bytes, 0, size, StandardCharsets.UTF_8));
        }
    }
}
