package io.kubemirror.feature.cli;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import javax.net.ssl.SSLContext;

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
     * Creates a client.
     *
     * @param caFile a PEM file with trusted certificates, null for those of the JVM
     * @param tokenFile a file with a bearer token, null for none
     * @throws IOException if a file cannot be read
     * @throws IllegalStateException if a file contains no certificates
     */
    static DiagnoseClient of(@Nullable Path caFile, @Nullable Path tokenFile) throws IOException {
        HttpClient.Builder client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(CONNECT);
        if (caFile != null) {
            client.sslContext(trusting(Files.readString(caFile)));
        }
        String token = tokenFile == null ? null : Files.readString(tokenFile).strip();
        return new DiagnoseClient(client.build(), token);
    }

    private static SSLContext trusting(String certificates) {
        PemSslStoreDetails trusted = PemSslStoreDetails.forCertificate(certificates);
        return SslBundle.of(new PemSslStoreBundle(null, trusted)).createSslContext();
    }

    /**
     * Sends a request. The caller closes a body that is a stream.
     *
     * @throws IOException if there is no response
     */
    <T> HttpResponse<T> get(URI url, BodyHandler<T> body) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(url).timeout(ANSWER);
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            return client.send(request.build(), body);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }

    /** The reason for a missing response, in a few words. */
    static String why(Exception failure) {
        String message = failure.getMessage();
        if (failure instanceof ConnectException && message == null) {
            return "cannot connect";
        }
        return message == null ? failure.getClass().getSimpleName() : message;
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
