package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.RenewableConnection.AcceptedCall;

import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.Dns;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

import okio.Okio;
import okio.Socket;

import org.jspecify.annotations.Nullable;

/**
 * Sends requests of clients over HTTP/1.1, so that the flow control of the sockets reaches from one
 * end to the other. With HTTP/2, megabytes would be buffered for each slow client.
 *
 * <p>A connection carries requests with the same credentials only, and none after a response that
 * was not read to its end.
 */
public final class PassThroughClient {

    /** Methods of requests that may be sent again if the connection breaks. */
    private static final Set<String> SAFE = Set.of("GET", "HEAD");

    /** Methods that OkHttp does not send without a body. */
    private static final Set<String> WITH_BODY = Set.of("POST", "PUT", "PATCH");

    /** A connection that was used within this time is not looked at, which takes a millisecond. */
    private static final Duration FRESH = Duration.ofMillis(100);

    private final LongSupplier nanos;
    private final HttpUrl base;

    /** When connections were used last. */
    private final Map<Connection, Long> used = Collections.synchronizedMap(new WeakHashMap<>());

    /** Those of this process. */
    private final Headers headers;

    /** Has the credentials of this process that are no header. */
    private final OkHttpClient own;

    /** Has no credentials. */
    private final OkHttpClient anonymous;

    /**
     * Creates a client.
     *
     * @param nanos a monotonic clock in nanoseconds
     */
    PassThroughClient(HttpUrl base, OkHttpClient http, Headers headers, LongSupplier nanos) {
        this.nanos = nanos;
        this.base = base;
        this.own = http.newBuilder().protocols(List.of(Protocol.HTTP_1_1)).build();
        this.headers = headers;
        this.anonymous = withoutCredentials(own);
    }

    private static OkHttpClient withoutCredentials(OkHttpClient own) {
        OkHttpClient.Builder client = own.newBuilder();
        client.interceptors().clear();
        X509TrustManager trust = own.x509TrustManager();
        if (trust == null) {
            return client.build();
        }
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[0], new TrustManager[] {trust}, null);
            return client.sslSocketFactory(context.getSocketFactory(), trust).build();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * Creates the call of a request.
     *
     * @param sent called when a connection begins to send the request
     * @throws IllegalArgumentException if the request cannot be sent without changing its meaning
     */
    Call call(PassedRequest request, Runnable sent) {
        boolean isOwn = request.credentials() == CredentialOwner.KUBEMIRROR;
        boolean safe = SAFE.contains(request.method());
        OkHttpClient client = isOwn ? own : anonymous;
        return client.newBuilder()
                .dns(new IdentityDns(isOwn ? "" : credentials(request), client.dns()))
                .readTimeout(request.silence())
                .writeTimeout(request.silence())
                .retryOnConnectionFailure(safe)
                .addInterceptor(PassThroughClient::send)
                .addNetworkInterceptor(
                        chain -> {
                            Connection connection = Objects.requireNonNull(chain.connection());
                            if (!safe && isIdle(connection)) {
                                requireOpen(connection);
                            }
                            sent.run();
                            Response response = chain.proceed(chain.request());
                            used.put(connection, nanos.getAsLong());
                            return response;
                        })
                .build()
                .newCall(request(request, isOwn));
    }

    /** Sends a request, of which nothing was sent on a connection that was closed, on another. */
    private static Response send(Interceptor.Chain chain) throws IOException {
        try {
            return chain.proceed(chain.request());
        } catch (ClosedConnectionException _) {
            chain.getConnectionPool().evictAll();
            return chain.proceed(chain.request());
        }
    }

    private boolean isIdle(Connection connection) {
        Long last = used.get(connection);
        return last != null && nanos.getAsLong() - last > FRESH.toNanos();
    }

    /**
     * Refuses a connection that the server has closed, on which a write would be lost. OkHttp
     * itself looks at those only that have been idle for ten seconds.
     */
    private static void requireOpen(Connection connection) throws IOException {
        java.net.Socket socket = connection.socket();
        int timeout = socket.getSoTimeout();
        try {
            socket.setSoTimeout(1);
            // Nothing that arrives before a request is an answer to it.
            socket.getInputStream().read();
        } catch (SocketTimeoutException open) {
            socket.setSoTimeout(timeout);
            return;
        } catch (IOException broken) {
            throw new ClosedConnectionException(broken);
        }
        throw new ClosedConnectionException(null);
    }

    /** The server has closed a connection before the request was sent. */
    private static final class ClosedConnectionException extends IOException {

        private static final long serialVersionUID = 1L;

        ClosedConnectionException(@Nullable Throwable cause) {
            super("the server has closed the connection", cause);
        }
    }

    private static String credentials(PassedRequest request) {
        return request.headers().entrySet().stream()
                .filter(header -> header.getKey().matches("(?i)authorization|impersonate-.*"))
                .map(Object::toString)
                .collect(Collectors.joining("\n"));
    }

    /** OkHttp shares a connection among requests whose settings are equal, and this is one. */
    private record IdentityDns(String credentials, Dns dns) implements Dns {

        @Override
        public List<InetAddress> lookup(String name) throws UnknownHostException {
            return dns.lookup(name);
        }
    }

    private Request request(PassedRequest passed, boolean isOwn) {
        Request.Builder request =
                new Request.Builder()
                        .url(url(passed.target()))
                        .headers(headers)
                        // Otherwise OkHttp would ask for gzip, and decompress it.
                        .header("Accept-Encoding", "identity")
                        .removeHeader("Authorization");
        passed.headers()
                .forEach(
                        (name, values) -> {
                            request.removeHeader(name);
                            values.forEach(value -> request.addHeader(name, value));
                        });
        if (isOwn) {
            request.removeHeader("Authorization");
            headers.values("Authorization").forEach(it -> request.addHeader("Authorization", it));
        }
        if (passed.upgrade() != null) {
            request.header("Connection", "Upgrade").header("Upgrade", passed.upgrade());
        }
        boolean empty = passed.body() == null && WITH_BODY.contains(passed.method());
        return request.method(passed.method(), empty ? RequestBody.EMPTY : passed.body()).build();
    }

    private HttpUrl url(String target) {
        // OkHttp takes a backslash for a slash.
        if (!target.startsWith("/") || target.indexOf('\\') >= 0) {
            throw new IllegalArgumentException("the path cannot be passed on");
        }
        String[] parts = target.split("\\?", 2);
        return base.newBuilder()
                .encodedPath(base.encodedPath().replaceFirst("/$", "") + parts[0])
                .encodedQuery(parts.length == 1 ? null : parts[1])
                .build();
    }

    /** Returns a response, or the connection after a change of the protocol. */
    static PassedResponse response(AcceptedCall accepted) {
        Call call = accepted.call();
        Response response = accepted.response();
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        response.headers().names().forEach(name -> headers.put(name, response.headers(name)));
        Socket socket = response.socket();
        if (socket != null) {
            return new PassedResponse(
                    response.code(),
                    headers,
                    Okio.buffer(socket.getSource()).inputStream(),
                    Okio.buffer(socket.getSink()).outputStream(),
                    call::cancel);
        }
        return new PassedResponse(
                response.code(),
                headers,
                response.body().byteStream(),
                null,
                () -> {
                    call.cancel();
                    response.close();
                });
    }

    /** Whose credentials the API server gets. */
    public enum CredentialOwner {
        /** This process. They replace those among the headers. */
        KUBEMIRROR,
        /** The client, which has them among its headers. */
        CLIENT
    }

    /**
     * A request of a client. Host, framing, and credentials of this process are added to it.
     *
     * @param target path and query, escaped as the client sent them
     * @param headers the end-to-end headers, names in any case
     * @param body the body, null for none
     * @param upgrade the protocol to change to, such as {@code websocket}, null for none
     * @param silence how long the server may be silent, and may read nothing
     */
    public record PassedRequest(
            CredentialOwner credentials,
            String method,
            String target,
            Map<String, List<String>> headers,
            @Nullable RequestBody body,
            @Nullable String upgrade,
            Duration silence) {}

    /**
     * A response, which the caller closes.
     *
     * @param headers all headers as the server sent them, found by names in any case
     * @param body the bytes from the server. Reads return what has arrived; a body that is cut off
     *     ends with an exception
     * @param upload the bytes to the server after a change of the protocol (code 101), null
     *     otherwise. Closing it ends this direction
     * @param end closes the connection, unless the response is complete
     */
    public record PassedResponse(
            int code,
            Map<String, List<String>> headers,
            InputStream body,
            @Nullable OutputStream upload,
            Runnable end)
            implements Closeable {

        /** Ends the response. After a change of the protocol, any thread may do so. */
        @Override
        public void close() {
            end.run();
        }
    }
}
