package io.kubemirror.upstream.kube;

import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.List;

/**
 * Finds out whether a server accepts TCP connections, by opening one and closing it again.
 *
 * <p>The name is resolved as requests resolve it. No TLS handshake takes place, so that thousands
 * of clients may ask a server that is just starting; a server with TLS may log that a client left
 * before its handshake. Behind a proxy a connection would tell of the proxy only, so none is opened
 * and the answer is no.
 *
 * <p>Rejected: a request to {@code /livez}, which costs the server a handshake and may need rights.
 */
final class ConnectionCheck {

    /** Long enough for a second SYN, which systems send after a second. */
    private static final int CONNECT_MILLIS = 1_200;

    /** A load balancer without a server closes a connection at once; a server waits for bytes. */
    private static final int CLOSE_MILLIS = 100;

    private ConnectionCheck() {}

    /** Whether any of the addresses of a server accepts a connection and keeps it open. */
    static boolean isAccepted(OkHttpClient http, HttpUrl server) {
        try {
            return isDirect(http, server)
                    && http.dns().lookup(server.host()).stream()
                            .anyMatch(address -> isAccepted(http, address, server.port()));
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

    private static boolean isAccepted(OkHttpClient http, InetAddress address, int port) {
        try (Socket socket = http.socketFactory().createSocket()) {
            socket.connect(new InetSocketAddress(address, port), CONNECT_MILLIS);
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
