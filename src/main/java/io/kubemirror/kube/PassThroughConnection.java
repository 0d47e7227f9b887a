package io.kubemirror.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.kube.PassThroughApi.CredentialOwner;
import io.kubemirror.kube.PassThroughApi.PassedRequest;
import io.kubemirror.kube.PassThroughApi.PassedResponse;

import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;

import org.jspecify.annotations.Nullable;

/**
 * The connections on which requests of clients are passed on to the API server, apart from all
 * others, by the calling thread.
 *
 * <p>One connection carries one request at a time (HTTP/1.1), so that the flow control of the
 * sockets reaches from one end to the other. With HTTP/2, megabytes would be buffered for each slow
 * client. Idle ones wait for the next request with the same credentials.
 *
 * <p>May be used from any thread.
 */
final class PassThroughConnection {

    /** Methods of requests that may be sent again if the connection breaks. */
    private static final Set<String> SAFE = Set.of("GET", "HEAD");

    /**
     * The time after which a reused connection is checked before a request that cannot be sent
     * again. The check takes a millisecond.
     */
    private static final long FRESH = Duration.ofMillis(100).toNanos();

    /** Less than the 90 s after which the API server closes an idle connection. */
    private static final Duration MAX_IDLE_TIME = Duration.ofSeconds(60);

    private static final int MAX_IDLE = 32;

    private final HttpUrl base;
    private final String host;
    private final OkHttpClient settings;

    /** Null without TLS. */
    private final @Nullable SSLSocketFactory tls;

    private final @Nullable String authorization;

    /** Sends nothing. */
    private final OkHttpClient authorizing;

    private final CredentialOwner owner;

    /** The last one is the one that was used last. Guarded by itself, as what follows. */
    private final Deque<PassedConnection> idle = new ArrayDeque<>();

    private boolean retired;
    private boolean sweeping;

    /**
     * Creates connections.
     *
     * @param settings the HTTP client of this process, whose trust and way to the server are used,
     *     and whose client certificate if the credentials are those of this process
     * @param authorization the value of the header of this process, null if it has none
     */
    PassThroughConnection(
            HttpUrl base,
            OkHttpClient settings,
            CredentialOwner owner,
            @Nullable String authorization) {
        this.base = base;
        this.settings = settings;
        this.owner = owner;
        this.authorization = authorization;
        this.authorizing =
                settings.newBuilder().addInterceptor(PassThroughConnection::unsent).build();
        boolean usual = base.port() == HttpUrl.defaultPort(base.scheme());
        String name = base.host().contains(":") ? "[" + base.host() + "]" : base.host();
        this.host = usual ? name : name + ":" + base.port();
        this.tls = base.isHttps() ? trusting() : null;
    }

    private SSLSocketFactory trusting() {
        X509TrustManager trust = settings.x509TrustManager();
        return owner == CredentialOwner.KUBEMIRROR || trust == null
                ? settings.sslSocketFactory()
                : withoutCertificate(trust);
    }

    private static SSLSocketFactory withoutCertificate(X509TrustManager trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[0], new TrustManager[] {trust}, null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** A failure before anything of a request was sent. */
    static final class UnsentException extends IOException {

        private static final long serialVersionUID = 1L;

        private final IOException reason;

        UnsentException(IOException reason) {
            super(reason);
            this.reason = reason;
        }

        /** Returns why there is no connection. */
        IOException reason() {
            return reason;
        }
    }

    /**
     * Sends a request, and waits for the head of the response.
     *
     * @throws UnsentException if there is no connection
     * @throws IOException if the response does not arrive
     * @throws IllegalArgumentException if the request cannot be sent without changing its meaning
     */
    PassedResponse send(PassedRequest request) throws IOException {
        PassedRequest own = owner == CredentialOwner.KUBEMIRROR ? authorized(request) : request;
        String target = base.encodedPath().replaceFirst("/$", "") + escaped(request.target());
        while (true) {
            PassedConnection connection = connection(own);
            boolean repeatable = !connection.isFresh() && SAFE.contains(own.method());
            try {
                return send(own, target, connection);
            } catch (IOException broken) {
                connection.cut();
                if (!repeatable || broken instanceof InterruptedIOException || isInterrupted()) {
                    throw broken;
                }
            } catch (RuntimeException refused) {
                connection.cut();
                throw refused;
            }
        }
    }

    private static boolean isInterrupted() {
        return Thread.currentThread().isInterrupted();
    }

    private PassedRequest authorized(PassedRequest request) throws IOException {
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.putAll(request.headers());
        headers.remove("Authorization");
        String own = authorization();
        if (own != null) {
            headers.put("Authorization", List.of(own));
        }
        return request.with(headers);
    }

    /** Returns the header of this process. An interceptor of its client reads a token file. */
    private @Nullable String authorization() throws IOException {
        if (settings.interceptors().isEmpty()) {
            return authorization;
        }
        Request plain = new Request.Builder().url(base).build();
        try (Response authorized = authorizing.newCall(plain).execute()) {
            String found = authorized.request().header("Authorization");
            return found == null ? authorization : found;
        }
    }

    /** Answers a request in the place of the server. */
    private static Response unsent(Interceptor.Chain chain) {
        return new Response.Builder()
                .request(chain.request())
                .protocol(Protocol.HTTP_1_1)
                .code(200)
                .message("")
                .build();
    }

    /** Escapes what a URL cannot contain. */
    private static String escaped(String target) {
        // Servers may take a backslash for a slash.
        if (!target.startsWith("/") || target.indexOf('\\') >= 0) {
            throw new IllegalArgumentException("the path cannot be passed on");
        }
        StringBuilder text = new StringBuilder(target.length());
        for (byte one : target.getBytes(UTF_8)) {
            if (one > ' ' && one < 0x7f && one != '"' && one != '<' && one != '>') {
                text.append((char) one);
            } else {
                text.append('%').append(HexFormat.of().withUpperCase().toHexDigits(one));
            }
        }
        return text.toString();
    }

    private PassedResponse send(PassedRequest request, String target, PassedConnection connection)
            throws IOException {
        connection.begin(request.silence());
        PassedHead head = connection.writeHead(request, host, target);
        boolean written = head == null && writeBody(request, connection);
        head = head == null ? PassedHead.read(connection.input()) : head;
        long length = head.length(request.method());
        if (head.code() == 101 && request.upgrade() == null) {
            throw new ProtocolException("the server changes the protocol unasked");
        }
        if (head.code() == 101) {
            connection.endLimits();
        }
        boolean reusable = written && head.isReusable(request.method());
        return new PassedBody(
                connection, head, length, reusable ? this::release : PassedConnection::cut);
    }

    /** Returns whether all of the body has been written. The server may not want the rest. */
    private static boolean writeBody(PassedRequest request, PassedConnection connection)
            throws IOException {
        try {
            connection.writeBody(request);
            return true;
        } catch (SocketException broken) {
            if (request.body() == null || request.body().isRepeatable() || isInterrupted()) {
                throw broken;
            }
            return false;
        }
    }

    private PassedConnection connection(PassedRequest request) throws IOException {
        String identity = identity(request);
        for (PassedConnection found = poll(identity); found != null; found = poll(identity)) {
            boolean checked = found.idle() > FRESH && !SAFE.contains(request.method());
            if (!found.hasInput() && !(checked && found.isClosed())) {
                return found;
            }
            found.cut();
        }
        try {
            return connect(identity);
        } catch (IOException unsent) {
            throw new UnsentException(unsent);
        }
    }

    /** Returns what tells clients apart, if their credentials are sent. */
    private String identity(PassedRequest request) {
        return owner == CredentialOwner.KUBEMIRROR
                ? ""
                : request.headers().entrySet().stream()
                        .filter(
                                header ->
                                        header.getKey()
                                                .toLowerCase(Locale.ROOT)
                                                .matches("authorization|impersonate-.*"))
                        .map(Object::toString)
                        .collect(Collectors.joining("\n"));
    }

    private @Nullable PassedConnection poll(String identity) {
        synchronized (idle) {
            Iterator<PassedConnection> latest = idle.descendingIterator();
            while (latest.hasNext()) {
                PassedConnection found = latest.next();
                if (found.identity().equals(identity)) {
                    latest.remove();
                    return found;
                }
            }
            return null;
        }
    }

    private void release(PassedConnection connection) {
        try {
            if (connection.hasInput()) {
                connection.cut();
                return;
            }
        } catch (IOException broken) {
            connection.cut();
            return;
        }
        synchronized (idle) {
            if (retired) {
                connection.cut();
                return;
            }
            idle.addLast(connection);
            if (idle.size() > MAX_IDLE) {
                idle.removeFirst().cut();
            }
            if (!sweeping) {
                sweeping = true;
                sweepLater();
            }
        }
    }

    private void sweepLater() {
        CompletableFuture.delayedExecutor(
                        MAX_IDLE_TIME.toMillis(), TimeUnit.MILLISECONDS, Runnable::run)
                .execute(this::sweep);
    }

    private void sweep() {
        synchronized (idle) {
            while (!idle.isEmpty() && idle.getFirst().idle() > MAX_IDLE_TIME.toNanos()) {
                idle.removeFirst().cut();
            }
            sweeping = !idle.isEmpty();
            if (sweeping) {
                sweepLater();
            }
        }
    }

    /** Closes idle connections. Running requests continue. */
    void retire() {
        synchronized (idle) {
            retired = true;
            idle.forEach(PassedConnection::cut);
            idle.clear();
        }
    }

    private PassedConnection connect(String identity) throws IOException {
        Socket raw = reached();
        try {
            raw.setTcpNoDelay(true);
            return new PassedConnection(identity, raw, tls == null ? raw : secured(raw, tls));
        } catch (IOException | RuntimeException broken) {
            raw.close();
            throw broken;
        }
    }

    private Socket secured(Socket raw, SSLSocketFactory factory) throws IOException {
        raw.setSoTimeout(settings.connectTimeoutMillis());
        SSLSocket socket = (SSLSocket) factory.createSocket(raw, base.host(), base.port(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"http/1.1"});
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        if (!settings.hostnameVerifier().verify(base.host(), socket.getSession())) {
            throw new SSLPeerUnverifiedException("another host name");
        }
        return socket;
    }

    /** Returns a connection to the server, by the proxy that is configured for it. */
    private Socket reached() throws IOException {
        java.net.Proxy fixed = settings.proxy();
        java.net.Proxy proxy =
                fixed == null ? settings.proxySelector().select(base.uri()).getFirst() : fixed;
        return switch (proxy.type()) {
            case DIRECT -> connected(new Socket(), base.host(), base.port());
            case SOCKS -> {
                Socket socket = new Socket(proxy);
                InetSocketAddress unresolved =
                        InetSocketAddress.createUnresolved(base.host(), base.port());
                socket.connect(unresolved, settings.connectTimeoutMillis());
                yield socket;
            }
            case HTTP -> tunneled(proxy.address());
        };
    }

    private Socket connected(Socket first, String name, int port) throws IOException {
        Socket socket = first;
        IOException broken = new UnknownHostException(name);
        for (InetAddress address : settings.dns().lookup(name)) {
            try {
                socket.connect(
                        new InetSocketAddress(address, port), settings.connectTimeoutMillis());
                return socket;
            } catch (IOException unreachable) {
                socket.close();
                socket = new Socket();
                broken = unreachable;
            }
        }
        throw broken;
    }

    private Socket tunneled(SocketAddress address) throws IOException {
        InetSocketAddress proxy = (InetSocketAddress) address;
        Socket socket = connected(new Socket(), proxy.getHostString(), proxy.getPort());
        socket.setSoTimeout(settings.connectTimeoutMillis());
        String server = base.host() + ":" + base.port();
        String request = "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n".formatted(server, server);
        socket.getOutputStream().write(request.getBytes(UTF_8));
        int code = PassedHead.read(socket.getInputStream()).code();
        if (code / 100 != 2) {
            socket.close();
            throw new ProtocolException("the proxy answers " + code);
        }
        return socket;
    }
}
