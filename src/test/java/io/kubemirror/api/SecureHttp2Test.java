package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.kube.TestCertificates;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Clients negotiate HTTP/2 on the TLS port, and HTTP/1.1 stays available. */
@Timeout(60)
class SecureHttp2Test {

    @ParameterizedTest
    @EnumSource(
            value = Version.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void client_gets_the_version_that_it_wants(Version version) throws Exception {
        TestCertificates certificate = TestCertificates.of("kubemirror", "localhost");
        try (ApiFixture served = ApiFixture.secure(certificate, "--server.http2.enabled=true");
                HttpClient client =
                        HttpClient.newBuilder()
                                .version(version)
                                .sslContext(certificate.trusting())
                                .build()) {
            URI list = URI.create("https://localhost:" + served.port() + "/api/v1/pods");
            HttpResponse<String> answer =
                    client.send(HttpRequest.newBuilder(list).build(), BodyHandlers.ofString());

            assertThat(answer.version()).isEqualTo(version);
            assertThat(answer.statusCode()).isEqualTo(200);
        }
    }
}
