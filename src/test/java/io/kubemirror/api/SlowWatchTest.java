package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.kube.TestCertificates;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Locale;

/** Slow clients get every event completely and once. */
@Timeout(60)
class SlowWatchTest {

    private static final String WATCH = "/api/v1/pods?watch=1&resourceVersion=110";
    private static final String PADDING = "p".repeat(10_000);

    @Test
    void slow_client_receives_all_events() {
        try (ApiFixture served = ApiFixture.golden();
                WatchClient late = WatchClient.openStalled(served.port(), WATCH)) {
            expectEverything(late, fallBehind(served));
        }
    }

    @Test
    void slow_client_over_tls_receives_all_events() throws Exception {
        TestCertificates certificate = TestCertificates.of("kubemirror", "localhost");
        try (ApiFixture served = ApiFixture.secure(certificate);
                WatchClient late =
                        WatchClient.openStalledSecurely(
                                certificate.trusting(), served.port(), WATCH)) {
            expectEverything(late, fallBehind(served));
        }
    }

    /** HTTP/1.0 has no chunks, so its frames take another way. */
    @Test
    void http_1_0_client_receives_all_events_without_chunks() {
        try (ApiFixture served = ApiFixture.golden();
                RawClient client = RawClient.to(served.port())) {
            client.send("GET " + WATCH + " HTTP/1.0\r\n\r\n");
            assertThat(client.head())
                    .contains("HTTP/1.1 200 OK")
                    .noneMatch(line -> line.toLowerCase(Locale.ROOT).startsWith("transfer-enc"));
            int last = fallBehind(served);
            for (int revision = 111; revision <= last; revision++) {
                assertThat(client.line())
                        .startsWith("{\"type\":\"ADDED\"")
                        .contains("\"resourceVersion\":\"" + revision + "\"");
            }
        }
    }

    /** Changes objects until the only watch has something that its client does not take. */
    private static int fallBehind(ApiFixture served) {
        int revision = 110;
        while (served.backlog() < 500) {
            revision++;
            served.writer().upsert(ApiSamples.object("b", PADDING + revision, revision));
        }
        return revision;
    }

    private static void expectEverything(WatchClient late, int last) {
        late.readOn();
        for (int revision = 111; revision <= last; revision++) {
            assertThat(late.next())
                    .startsWith("{\"type\":\"ADDED\"")
                    .contains("\"resourceVersion\":\"" + revision + "\"");
        }
    }
}
