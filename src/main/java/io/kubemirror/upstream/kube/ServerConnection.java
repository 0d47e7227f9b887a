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

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A connection to an API server: an address, an HTTP client with the right trust settings, and
 * credentials.
 *
 * <p>Only the configuration of the official client is used. Its generated calls read whole bodies
 * into models, which would lose unknown fields and need many times the memory.
 */
final class ServerConnection {

    private static final MediaType JSON = MediaType.get(CollectionFormat.JSON);

    /** Long enough for a second SYN, which operating systems send after a second. */
    private static final int LONGEST_PROBE_MILLIS = 1_200;

    /**
     * A load balancer without a backend closes a connection immediately, whereas a server waits for
     * data.
     */
    private static final int CLOSE_MILLIS = 100;

    private final HttpUrl base;
    private final OkHttpClient http;
    private final Headers headers;
    private final int probeMillis;

    /**
     * Creates a connection from a configured client.
     *
     * @throws UpstreamException if the credentials of the client cannot be sent
     */
    ServerConnection(HttpUrl url, ApiClient client, ClientSettings settings) {
        this.base = url.newBuilder().username("").password("").build();
        this.http =
                client.getHttpClient()
                        .newBuilder()
                        // List and watch need no redirects, and credentials must not follow one.
                        .followRedirects(false)
                        // Connects on the calling thread, so that an interrupt reaches the
                        // connection attempt.
                        .fastFallback(false)
                        .connectTimeout(settings.connectTimeout())
                        .readTimeout(settings.readTimeout())
                        .build();
        this.probeMillis =
                (int) Math.min(LONGEST_PROBE_MILLIS, settings.connectTimeout().toMillis());
        this.headers = headers(client, settings);
    }

    private static Headers headers(ApiClient client, ClientSettings settings) {
        Map<String, String> headers = new HashMap<>();
        try {
            client.getAuthentication("BearerToken")
                    .applyToParams(List.of(), headers, Map.of(), "", "GET", null);
            headers.put("User-Agent", "kubemirror/" + settings.version());
            return Headers.of(headers);
        } catch (ApiException | IllegalArgumentException _) {
            throw new UpstreamException(
                    "kubeconfig",
                    "the token contains characters that are not allowed in an HTTP header");
        }
    }

    /** Returns the URL of an API path. The server URL may have a path prefix. */
    HttpUrl.Builder url(String path) {
        return base.newBuilder().addPathSegments(path.substring(1));
    }

    /** Returns the URL of an API path, given as unescaped segments. */
    HttpUrl.Builder url(List<String> segments) {
        HttpUrl.Builder url = base.newBuilder();
        segments.forEach(url::addPathSegment);
        return url;
    }

    /** Creates a GET of JSON, uncompressed or with gzip, with the default timeouts. */
    Call get(HttpUrl url, String accept) {
        return http.newCall(request(url, accept, "gzip"));
    }

    /**
     * Creates a GET of a list.
     *
     * @param limit the maximum time until the whole response has arrived, zero for no limit
     */
    Call list(HttpUrl url, String accept, Duration limit) {
        Call call = get(url, accept);
        call.timeout().timeout(limit.toNanos(), TimeUnit.NANOSECONDS);
        return call;
    }

    /** Creates a POST of JSON with a limit for the complete call. */
    Call post(HttpUrl url, String json, Duration limit) {
        Request.Builder request = request(url, CollectionFormat.JSON, "gzip").newBuilder();
        Call call = http.newCall(request.post(RequestBody.create(json, JSON)).build());
        call.timeout().timeout(limit.toNanos(), TimeUnit.NANOSECONDS);
        return call;
    }

    /** Creates a GET of a JSON stream, which fails when no byte arrives for the given time. */
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

    /**
     * Returns whether any address of the server accepts a connection and keeps it open, by opening
     * TCP connections and closing them again.
     *
     * <p>Names are resolved in the same way as for requests. No TLS handshake takes place, so
     * thousands of clients may check a server that is starting; a server with TLS may log that a
     * client left before the handshake. Behind a proxy, a connection would reach only the proxy, so
     * none is opened and the result is negative.
     *
     * <p>Rejected: a request to {@code /livez}, which costs the server a handshake and may require
     * permissions.
     */
    boolean isAccepted() {
        try {
            return isDirect() && http.dns().lookup(base.host()).stream().anyMatch(this::isAccepted);
        } catch (IOException _) {
            return false;
        }
    }

    private boolean isDirect() {
        Proxy fixed = http.proxy();
        List<Proxy> proxies =
                fixed == null ? http.proxySelector().select(base.uri()) : List.of(fixed);
        return proxies.stream().allMatch(proxy -> proxy.type() == Proxy.Type.DIRECT);
    }

    private boolean isAccepted(InetAddress address) {
        try (Socket socket = http.socketFactory().createSocket()) {
            socket.connect(new InetSocketAddress(address, base.port()), probeMillis);
            return staysOpen(socket);
        } catch (IOException _) {
            return false;
        }
    }

    private static boolean staysOpen(Socket socket) throws IOException {
        socket.setSoTimeout(CLOSE_MILLIS);
        try {
            return socket.getInputStream().read() >= 0;
        } catch (SocketTimeoutException _) {
            return true;
        }
    }

    /** Closes idle connections. Running requests continue. */
    void retire() {
        http.connectionPool().evictAll();
    }

    /** Returns the server URL without user, password, and query. */
    @Override
    public String toString() {
        return base.newBuilder().query(null).fragment(null).build().toString();
    }
}
