package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.kube.TestCertificates;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;

/** Clients negotiate HTTP/2 on the TLS port, and HTTP/1.1 stays available. */
@Timeout(60)
class SecureHttp2Test {

    private static final String WATCH = "/api/v1/pods?watch=1&resourceVersion=110";

    @Test
    void many_watches_of_a_client_share_a_connection() throws Exception {
        TestCertificates certificate = TestCertificates.of("kubemirror", "localhost");
        try (ApiFixture served = ApiFixture.secure(certificate, "--server.http2.enabled=true");
                HttpClient client =
                        HttpClient.newBuilder().sslContext(certificate.trusting()).build()) {
            List<HttpResponse<InputStream>> watches = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                watches.add(client.send(request(served, WATCH), BodyHandlers.ofInputStream()));
            }
            assertThat(watches).allMatch(watch -> watch.version() == Version.HTTP_2);
            assertThat(served.gauge("kubemirror.connections.open")).isEqualTo(1);
            served.writer().upsert(ApiSamples.object("a", "x", 111));
            for (HttpResponse<InputStream> watch : watches) {
                assertThat((char) watch.body().read()).isEqualTo('{');
                watch.body().close();
            }
        }
    }

    @Test
    void http_1_1_is_served_on_the_same_port() throws Exception {
        TestCertificates certificate = TestCertificates.of("kubemirror", "localhost");
        try (ApiFixture served = ApiFixture.secure(certificate, "--server.http2.enabled=true");
                HttpClient client =
                        HttpClient.newBuilder()
                                .version(Version.HTTP_1_1)
                                .sslContext(certificate.trusting())
                                .build()) {
            HttpResponse<String> list =
                    client.send(request(served, "/api/v1/pods"), BodyHandlers.ofString());

            assertThat(list.version()).isEqualTo(Version.HTTP_1_1);
            assertThat(list.statusCode()).isEqualTo(200);
        }
    }

    private static HttpRequest request(ApiFixture served, String path) {
        return HttpRequest.newBuilder(URI.create("https://localhost:" + served.port() + path))
                .build();
    }
}
