package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.encode.ResponseWriter;
import io.kubemirror.model.SelectableFields.DeclaredFields;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Large lists are compressed, and nothing else (list-watch.md#en-9). */
class CompressionTest {

    private static final String SMALL = "/api/v1/namespaces/a/pods";
    private static final String LARGE = "/api/v1/namespaces/bb/pods";
    @AutoClose private static final HttpClient HTTP = HttpClient.newHttpClient();
    @AutoClose private static final ApiFixture SERVED = ApiFixture.of("pods");

    // One list is as long as the threshold, the other a byte longer.
    static {
        SERVED.writer().identify(ApiSamples.PODS, DeclaredFields.NONE);
        ApiSamples.synchronize(SERVED.writer(), 2, ApiSamples.object("a", "x", 1, "v"));
        String label = "v".repeat(1 + ResponseWriter.THRESHOLD - get(SMALL).body().length);
        ApiSamples.synchronize(
                SERVED.writer(),
                3,
                ApiSamples.object("a", "x", 3, label),
                ApiSamples.object("bb", "x", 3, label));
    }

    private static HttpResponse<byte[]> get(String path, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + SERVED.port() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return HTTP.send(request.build(), BodyHandlers.ofByteArray());
        } catch (IOException | InterruptedException failed) {
            throw new AssertionError(path, failed);
        }
    }

    private static Optional<String> header(HttpResponse<?> answer, String name) {
        return answer.headers().firstValue(name);
    }

    /** A body of 131,072 bytes is sent as it is, a larger one compressed (list-watch.md#en-9). */
    @Test
    void go_29_only_bodies_larger_than_128_kib_are_compressed() throws IOException {
        HttpResponse<byte[]> small = get(SMALL, "Accept-Encoding", "gzip");
        assertThat(small.body()).hasSize(131_072);
        assertThat(header(small, "Content-Encoding")).isEmpty();
        assertThat(header(small, "Vary")).isEmpty();
        assertThat(header(small, "Content-Length")).contains("131072");

        HttpResponse<byte[]> large = get(LARGE, "Accept-Encoding", "br, gzip ,deflate");
        assertThat(header(large, "Content-Encoding")).contains("gzip");
        assertThat(header(large, "Vary")).contains("Accept-Encoding");
        assertThat(header(large, "Content-Type")).contains("application/json");
        assertThat(large.body().length).isLessThan(2_000);
        assertThat(unzipped(large.body())).isEqualTo(get(LARGE).body()).hasSize(131_073);
    }

    @Test
    void compressed_response_has_its_own_etag() {
        String plain = header(get(LARGE), "ETag").orElseThrow();
        String compressed = header(get(LARGE, "Accept-Encoding", "gzip"), "ETag").orElseThrow();
        assertThat(compressed).isNotEqualTo(plain);
        assertThat(code(LARGE, "If-None-Match", compressed, "Accept-Encoding", "gzip"))
                .isEqualTo(304);
        assertThat(code(LARGE, "If-None-Match", plain, "Accept-Encoding", "gzip")).isEqualTo(304);
        assertThat(code(LARGE, "If-None-Match", plain)).isEqualTo(304);
        assertThat(code(LARGE, "If-None-Match", compressed)).isEqualTo(200);
    }

    private static int code(String path, String... headers) {
        return get(path, headers).statusCode();
    }

    private static byte[] unzipped(byte[] bytes) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return in.readAllBytes();
        }
    }
}
