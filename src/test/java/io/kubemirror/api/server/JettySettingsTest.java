package io.kubemirror.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.RawClient;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.server.JettySettings.ConnectionProperties;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.testing.WaitLimit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the limits of connections and requests, over real connections. */
@Timeout(50)
class JettySettingsTest {

    private static final String LIST = "/api/v1/pods";
    private static final String OK = "HTTP/1.1 200 OK";

    @Test
    void connection_beyond_the_limit_waits_until_another_one_ends() {
        try (ApiFixture served = ApiFixture.golden(Map.of("limits", new ConnectionProperties(2)));
                RawClient first = RawClient.to(served.port()).ask(LIST)) {
            assertThat(first.line()).isEqualTo(OK);
            RawClient second = RawClient.to(served.port()).ask(LIST);
            assertThat(second.line()).isEqualTo(OK);
            WaitLimit.until(() -> served.gauge("kubemirror.connections.open") == 2);
            try (RawClient third = RawClient.to(served.port()).ask(LIST)) {
                second.close();
                assertThat(third.line()).isEqualTo(OK);
            }
        }
    }

    @Test
    void connections_leave_less_memory_for_answers() {
        MemoryBudget process = MemoryBudget.of(100L << 20);
        try (ApiFixture served = ApiFixture.golden(Map.of("few", ClientMemory.of(process)))) {
            try (RawClient first = RawClient.to(served.port()).ask("/livez");
                    RawClient second = RawClient.to(served.port()).ask("/livez")) {
                assertThat(first.line()).isEqualTo(OK);
                assertThat(second.line()).isEqualTo(OK);
                assertThat(process.used()).isEqualTo(2 * ClientMemory.CONNECTION);
            }
            WaitLimit.until(() -> process.used() == 0);
        }
    }

    @ParameterizedTest
    @CsvSource({"1000000, 91", "100000000, 9155"})
    void small_memory_allows_fewer_connections(long clients, int connections) {
        assertThat(ClientMemory.of(MemoryBudget.of(clients)).maxConnections())
                .isEqualTo(connections);
    }

    /** As clients do that verify another name, or none. */
    @ParameterizedTest
    @CsvSource({"localhost, 127.0.0.2", "mirror.example.com, localhost", "localhost, [::1]"})
    void request_over_tls_may_name_a_host_that_is_not_in_the_certificate(String sni, String host)
            throws Exception {
        TestCertificates certificate = TestCertificates.of("kubemirror", "localhost");
        try (ApiFixture served = ApiFixture.secure(certificate);
                Socket plain = new Socket(InetAddress.getLoopbackAddress(), served.port());
                RawClient client =
                        RawClient.on(
                                certificate
                                        .trusting()
                                        .getSocketFactory()
                                        .createSocket(plain, sni, served.port(), true))) {
            client.send("GET " + LIST + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");

            assertThat(client.line()).isEqualTo(OK);
        }
    }

    @ParameterizedTest
    @CsvSource({"/api/v1/pods?x=, 414", "/api/v1/pods, 431"})
    void head_of_more_than_32_kilobytes_is_refused(String target, int code) {
        String much = "x".repeat(32 * 1024);
        String head =
                code == 414
                        ? "GET " + target + much
                        : "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nX: " + much;
        try (ApiFixture served = ApiFixture.golden();
                RawClient client = RawClient.to(served.port()).send(head)) {
            assertThat(client.untilClosed())
                    .startsWith("HTTP/1.1 " + code + " ")
                    .contains("\r\n\r\n" + code + " ");
        }
    }
}
