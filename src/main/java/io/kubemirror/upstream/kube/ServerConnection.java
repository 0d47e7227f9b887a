package io.kubemirror.upstream.kube;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;

import okhttp3.Call;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * An address, an HTTP client that trusts the right certificates, and credentials.
 *
 * <p>Of the official client only its configuration is used: its generated calls read whole bodies
 * into models, which would lose unknown fields and cost many times the memory.
 */
final class ServerConnection {

    private static final MediaType JSON = MediaType.get(CollectionFormat.JSON);

    private final HttpUrl base;
    private final OkHttpClient http;
    private final Headers headers;

    /**
     * A connection by a configured client.
     *
     * @throws UpstreamException if the client's credentials cannot be sent
     */
    ServerConnection(HttpUrl url, ApiClient client, ClientSettings settings) {
        this.base = url.newBuilder().username("").password("").build();
        this.http =
                client.getHttpClient()
                        .newBuilder()
                        // A list-watch needs no redirect, and a credential must not follow one.
                        .followRedirects(false)
                        // Connects on the calling thread, which an interrupt then reaches.
                        .fastFallback(false)
                        .readTimeout(settings.readTimeout())
                        .build();
        this.headers = headers(client, settings);
    }

    private static Headers headers(ApiClient client, ClientSettings settings) {
        Map<String, String> headers = new HashMap<>();
        try {
            client.getAuthentication("BearerToken")
                    .applyToParams(List.of(), headers, Map.of(), "", "GET", null);
            headers.put("User-Agent", settings.userAgent());
            return Headers.of(headers);
        } catch (ApiException | IllegalArgumentException _) {
            throw new UpstreamException(
                    "kubeconfig", "the token has characters that no HTTP header may have");
        }
    }

    /** Where a path of the API is served; the server's own URL may have a path in front. */
    HttpUrl.Builder url(String path) {
        return base.newBuilder().addPathSegments(path.substring(1));
    }

    /** Where a path of the API is served, given as segments that are not escaped. */
    HttpUrl.Builder url(List<String> segments) {
        HttpUrl.Builder url = base.newBuilder();
        segments.forEach(url::addPathSegment);
        return url;
    }

    /** A GET of JSON in gzip or plain, with the usual patience. */
    Call get(HttpUrl url, String accept) {
        return http.newCall(request(url, accept, "gzip"));
    }

    /** A POST of JSON, with the usual patience. */
    Call post(HttpUrl url, String json) {
        Request.Builder request = request(url, CollectionFormat.JSON, "gzip").newBuilder();
        return http.newCall(request.post(RequestBody.create(json, JSON)).build());
    }

    /** A POST of JSON, whose answer must be here in time. */
    Call post(HttpUrl url, String json, Duration limit) {
        Call call = post(url, json);
        call.timeout().timeout(limit.toNanos(), TimeUnit.NANOSECONDS);
        return call;
    }

    /** A GET of a stream of JSON, given up when no byte arrives for a while. */
    Call stream(HttpUrl url, String accept, Duration silence) {
        OkHttpClient patient = http.newBuilder().readTimeout(silence).build();
        return patient.newCall(request(url, accept, "identity"));
    }

    private Request request(HttpUrl url, String accept, String encoding) {
        return new Request.Builder()
                .url(url)
                .headers(headers)
                .header("Accept", accept)
                .header("Accept-Encoding", encoding)
                .build();
    }

    /** Whether the server accepts a connection, found out without sending anything. */
    boolean isAccepted() {
        return ConnectionCheck.isAccepted(http, base);
    }

    /** Closes what is idle; requests under way go on. */
    void retire() {
        http.connectionPool().evictAll();
    }

    /** The server's URL without user, password and query. */
    @Override
    public String toString() {
        return base.newBuilder().query(null).fragment(null).build().toString();
    }
}
