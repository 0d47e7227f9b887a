package io.kubemirror.kube.json;

import module java.base;

import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;

import java.net.Proxy;

/**
 * Checks whether a server accepts connections, by opening TCP connections and closing them again.
 */
public final class ConnectionCheck {

    /** Long enough for a second SYN, which operating systems send after a second. */
    private static final int MAX_CONNECT_MILLIS = 1_200;

    /**
     * A load balancer without a backend closes a connection immediately, whereas a server waits for
     * data.
     */
    private static final int CLOSE_MILLIS = 100;

    private ConnectionCheck() {}

    /**
     * Returns whether any address of the server accepts a connection and keeps it open.
     *
     * <p>Names are resolved in the same way as for requests. No TLS handshake takes place, so
     * thousands of clients may check a server that is starting; a server with TLS may log that a
     * client left before the handshake. Behind a proxy, a connection would reach only the proxy, so
     * none is opened and the result is negative.
     */
    public static boolean accepts(OkHttpClient http, HttpUrl server) {
        try {
            return isDirect(http, server)
                    && http.dns().lookup(server.host()).stream()
                            .anyMatch(address -> accepts(http, address, server.port()));
        } catch (IOException _) {
            return false;
        }
    }

    private static boolean isDirect(OkHttpClient http, HttpUrl server) {
        Proxy fixed = http.proxy();
        List<Proxy> proxies =
                fixed == null ? http.proxySelector().select(server.uri()) : List.of(fixed);
        return proxies.stream().allMatch(proxy -> proxy.type() == Proxy.Type.DIRECT);
    }

    private static boolean accepts(OkHttpClient http, InetAddress address, int port) {
        try (Socket socket = http.socketFactory().createSocket()) {
            int limit = Math.min(MAX_CONNECT_MILLIS, http.connectTimeoutMillis());
            socket.connect(new InetSocketAddress(address, port), limit);
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
}
