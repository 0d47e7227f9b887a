package io.kubemirror.ops.cli;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** HTTP client for a running kubemirror, with the token and the certificates from the options. */
final class DiagnoseClient implements AutoCloseable {

    private static final Duration CONNECT = Duration.ofSeconds(3);
    private static final Duration ANSWER = Duration.ofSeconds(60);

    private final HttpClient client;
    private final @Nullable String token;

    private DiagnoseClient(HttpClient client, @Nullable String token) {
        this.client = client;
        this.token = token;
    }

    /**
     * A response.
     *
     * @param code the HTTP status code
     * @param body the body
     */
    record DiagnoseResponse(int code, String body) {

        /** The status code and the beginning of the body. */
        String said() {
            String line = body.strip().lines().findFirst().orElse("");
            return "HTTP " + code + " " + line.substring(0, Math.min(line.length(), 200));
        }
    }

    /**
     * Creates a client for the options.
     *
     * @throws IOException if a file cannot be read
     * @throws GeneralSecurityException if a file contains no certificates
     */
    static DiagnoseClient as(DiagnoseOptions options) throws IOException, GeneralSecurityException {
        HttpClient.Builder client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(CONNECT);
        Path caFile = options.caFile();
        if (caFile != null) {
            client.sslContext(trusting(caFile));
        }
        Path tokenFile = options.tokenFile();
        String token = tokenFile == null ? null : Files.readString(tokenFile).strip();
        return new DiagnoseClient(client.build(), token);
    }

    private static SSLContext trusting(Path file) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream pem = Files.newInputStream(file)) {
            for (Certificate ca :
                    CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
                store.setCertificateEntry("ca" + store.size(), ca);
            }
        }
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    /**
     * Requests a small document.
     *
     * @throws IOException if there is no response
     */
    DiagnoseResponse get(URI url) throws IOException {
        HttpResponse<InputStream> answer = open(url);
        try (InputStream body = answer.body()) {
            return new DiagnoseResponse(
                    answer.statusCode(), new String(body.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /**
     * Requests a document of any size. The caller closes it.
     *
     * @throws IOException if there is no response
     */
    HttpResponse<InputStream> open(URI url) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(url).timeout(ANSWER);
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            return client.send(request.build(), BodyHandlers.ofInputStream());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }

    /** The reason for a missing response, in a few words. */
    static String why(Exception failure) {
        String message = failure.getMessage();
        if (failure instanceof ConnectException && message == null) {
            return "nobody listens there";
        }
        return message == null ? failure.getClass().getSimpleName() : message;
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
