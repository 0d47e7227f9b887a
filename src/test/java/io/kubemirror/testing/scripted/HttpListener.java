package io.kubemirror.testing.scripted;

import io.kubemirror.testing.real.ServerPorts;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A small HTTP/1.1 server on loopback, one virtual thread per connection.
 *
 * <p>Rejected: the JDK's {@code HttpServer}, which ends every response properly and so can neither
 * cut a stream in the middle nor leave a request without an answer, and whose port cannot be closed
 * and opened again.
 */
final class HttpListener implements AutoCloseable {

    private final HttpConnection.RequestHandler handler;
    private final Set<HttpConnection> connections = ConcurrentHashMap.newKeySet();
    private @Nullable ServerSocket listening;
    private @Nullable Thread accepting;
    private final int port = ServerPorts.one();

    HttpListener(HttpConnection.RequestHandler handler) {
        this.handler = handler;
    }

    /** Listens, always on the same port. */
    synchronized void start() {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1024);
            listening = socket;
            accepting = Thread.ofVirtual().name("accept").start(() -> accept(socket));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                serve(socket.accept());
            } catch (IOException e) {
                // Either the port was closed, which ends the loop, or one caller gave up early.
            }
        }
    }

    private void serve(Socket socket) {
        HttpConnection connection = new HttpConnection(socket);
        connections.add(connection);
        Thread.ofVirtual()
                .start(
                        () -> {
                            connection.run(handler);
                            connections.remove(connection);
                        });
    }

    /** Stops listening, so that callers are refused, and cuts all connections. */
    synchronized void stop() {
        if (listening != null && accepting != null) {
            closeQuietly(listening);
            // The port is closed only when no thread is in accept() any more.
            awaitEnd(accepting);
            listening = null;
        }
        cutAll();
    }

    private static void awaitEnd(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Cuts all connections. */
    void cutAll() {
        connections.forEach(HttpConnection::cut);
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        stop();
    }

    private static void closeQuietly(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
