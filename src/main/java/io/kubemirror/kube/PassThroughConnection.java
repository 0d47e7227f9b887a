package io.kubemirror.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.Dispatcher;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;

import org.jspecify.annotations.Nullable;

/**
 * The connections on which requests of clients are passed on to the API server, apart from all
 * others.
 *
 * <p>One connection carries one request at a time (HTTP/1.1), so that the flow control of the
 * sockets reaches from one end to the other. With HTTP/2, megabytes would be buffered for each slow
 * client.
 */
final class PassThroughConnection {

    /** A header that is not sent if it is empty. */
    static final String USER_AGENT = "User-Agent";

    /** Methods of requests that may be sent again if the connection breaks. */
    private static final Set<String> SAFE = Set.of("GET", "HEAD");

    /**
     * The time after which a reused connection is checked before a request that cannot be sent
     * again. The check takes a millisecond.
     */
    private static final long FRESH = Duration.ofMillis(100).toNanos();

    /** Scheme, host, and port. */
    private final String origin;

    /** The path before those of the API, empty for none. */
    private final String path;

    private final OkHttpClient http;

    /** Sends again, on another connection, what has no effect. */
    private final OkHttpClient repeating;

    /** When each connection last received a response, in nanoseconds. */
    private final Map<Connection, Long> used = Collections.synchronizedMap(new WeakHashMap<>());

    /** The value of {@code Authorization}, null for that of the client. */
    private final @Nullable String authorization;

    private PassThroughConnection(
            HttpUrl base, OkHttpClient.Builder http, @Nullable String authorization) {
        this.origin =
                withoutSlash(base.newBuilder().encodedPath("/").query(null).build().toString());
        this.path = withoutSlash(base.encodedPath());
        this.authorization = authorization;
        this.repeating =
                http.protocols(List.of(Protocol.HTTP_1_1))
                        .dispatcher(new Dispatcher())
                        .followRedirects(false)
                        .addInterceptor(PassThroughConnection::limited)
                        .addNetworkInterceptor(this::checked)
                        // Connects on the calling thread, which can be interrupted.
                        .fastFallback(false)
                        .retryOnConnectionFailure(true)
                        .build();
        // Any other request may have been processed when its connection breaks.
        this.http = repeating.newBuilder().retryOnConnectionFailure(false).build();
    }

    private static String withoutSlash(String text) {
        return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    }

    /**
     * Sets how long the server may be silent, and may read nothing. A client for each request would
     * compare all trusted certificates.
     */
    private static Response limited(Interceptor.Chain chain) throws IOException {
        Duration silence = Objects.requireNonNull(chain.request().tag(Duration.class));
        int millis = Math.toIntExact(silence.toMillis());
        return chain.withReadTimeout(millis, TimeUnit.MILLISECONDS)
                .withWriteTimeout(millis, TimeUnit.MILLISECONDS)
                .proceed(chain.request());
    }

    /** A connection that the server had closed before anything of the request was sent. */
    static final class StaleConnectionException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        StaleConnectionException() {
            super("the connection was closed", null, false, false);
        }
    }

    /**
     * Checks that a reused connection is still open. Otherwise a write would fail that has not been
     * sent, which cannot be known.
     */
    private Response checked(Interceptor.Chain chain) throws IOException {
        Connection connection = Objects.requireNonNull(chain.connection());
        Long last = used.get(connection);
        if (last != null
                && System.nanoTime() - last > FRESH
                && !SAFE.contains(chain.request().method())
                && isClosed(connection.socket())) {
            throw new StaleConnectionException();
        }
        AtomicBoolean sent = chain.request().tag(AtomicBoolean.class);
        if (sent != null) {
            sent.set(true);
        }
        Response response = chain.proceed(withoutEmptyAgent(chain.request()));
        used.put(connection, System.nanoTime());
        return response;
    }

    /** OkHttp adds its own name to a request without the header, before this. */
    private static Request withoutEmptyAgent(Request request) {
        return "".equals(request.header(USER_AGENT))
                ? request.newBuilder().removeHeader(USER_AGENT).build()
                : request;
    }

    /** Returns whether there is anything to read, which can only be the end. */
    private static boolean isClosed(Socket socket) throws IOException {
        int timeout = socket.getSoTimeout();
        try {
            socket.setSoTimeout(1);
            var _ = socket.getInputStream().read();
            return true;
        } catch (SocketTimeoutException silent) {
            return false;
        } catch (IOException broken) {
            return true;
        } finally {
            if (!socket.isClosed()) {
                socket.setSoTimeout(timeout);
            }
        }
    }

    /**
     * Creates connections with the credentials of this process, in the pool of its other
     * connections. OkHttp plans after each response which idle connections to close, and with two
     * pools it wakes a second thread for that. HTTP/1.1 alone keeps these connections apart.
     *
     * @param http the client of this process, whose client certificate is used
     * @param authorization the value of {@code Authorization}, null if there is none
     */
    static PassThroughConnection own(
            HttpUrl base, OkHttpClient http, @Nullable String authorization) {
        return new PassThroughConnection(
                base, http.newBuilder(), authorization == null ? "" : authorization);
    }

    /**
     * Creates connections without any credentials of this process: no client certificate, and
     * nothing that other connections share.
     *
     * @param http the client of this process, whose CA and way to the server are used
     */
    static PassThroughConnection ofClients(HttpUrl base, OkHttpClient http) {
        OkHttpClient.Builder builder =
                new OkHttpClient.Builder()
                        .connectionPool(ServerConnection.pool())
                        .dns(http.dns())
                        .proxySelector(http.proxySelector())
                        .proxy(http.proxy())
                        .proxyAuthenticator(http.proxyAuthenticator())
                        .connectionSpecs(http.connectionSpecs())
                        .hostnameVerifier(http.hostnameVerifier())
                        .connectTimeout(Duration.ofMillis(http.connectTimeoutMillis()));
        X509TrustManager trust = http.x509TrustManager();
        if (base.isHttps() && trust != null) {
            builder.sslSocketFactory(withoutCertificate(trust).getSocketFactory(), trust);
        }
        return new PassThroughConnection(base, builder, null);
    }

    private static SSLContext withoutCertificate(X509TrustManager trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[0], new TrustManager[] {trust}, null);
            return context;
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * Creates a call.
     *
     * @param request a request without URL; a tag of the type {@link AtomicBoolean} becomes true
     *     when there is a connection, before the first byte is sent
     * @param target path and query, escaped
     * @param silence how long the server may be silent, and may read nothing
     * @return the call, which throws {@link StaleConnectionException} if it can be sent again
     * @throws IllegalArgumentException if the target would be sent with another meaning
     */
    Call call(Request.Builder request, String target, Duration silence) {
        if (authorization != null) {
            request.removeHeader("Authorization");
            if (!authorization.isEmpty()) {
                request.header("Authorization", authorization);
            }
        }
        Request complete = request.url(url(target)).tag(Duration.class, silence).build();
        return (SAFE.contains(complete.method()) ? repeating : http).newCall(complete);
    }

    /**
     * Returns the URL of a target. OkHttp escapes what a URL cannot contain, and resolves dot
     * segments; the former has no effect, the latter is refused.
     */
    private HttpUrl url(String target) {
        HttpUrl url = HttpUrl.get(origin + path + target);
        String query = url.encodedQuery();
        String sent = url.encodedPath() + (query == null ? "" : "?" + query);
        String wanted = path + target;
        if (!sent.equals(wanted) && !decoded(sent).equals(decoded(wanted))) {
            throw new IllegalArgumentException("the path cannot be passed on");
        }
        return url;
    }

    private static String decoded(String target) {
        return URLDecoder.decode(target.replace("+", "%2B"), UTF_8);
    }

    /** Closes idle connections. Running requests continue. */
    void retire() {
        http.connectionPool().evictAll();
    }
}
