package io.kubemirror.pairs;

import io.kubemirror.pairs.ServerFront.Gate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Passes connections on: those of clients that know TCP only to a Unix socket, or to etcd. */
final class SocketRelay implements AutoCloseable {

    private final SocketAddress server;
    private final Gate answers;
    private final ServerSocketChannel listener;

    /**
     * Starts to listen on a free port.
     *
     * @param server where to pass connections on
     * @param answers lets pass what the server sends
     */
    SocketRelay(SocketAddress server, Gate answers) throws IOException {
        this.server = server;
        this.answers = answers;
        listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.socket().getLocalPort();
    }

    private void accept() {
        while (listener.isOpen()) {
            try {
                SocketChannel client = listener.accept();
                Thread.ofVirtual().start(() -> relay(client));
            } catch (IOException closed) {
                // The loop ends with the listener.
            }
        }
    }

    private void relay(SocketChannel client) {
        try (client;
                SocketChannel onward = SocketChannel.open(server)) {
            Thread.ofVirtual().start(() -> copy(client, onward, new Gate()));
            copy(onward, client, answers);
        } catch (IOException gone) {
            // Both connections end.
        }
    }

    /** Copies until one end is closed, and closes the other. */
    private static void copy(SocketChannel from, SocketChannel to, Gate gate) {
        try (to) {
            ByteBuffer bytes = ByteBuffer.allocate(16 * 1024);
            while (from.read(bytes) >= 0) {
                gate.pass();
                bytes.flip();
                while (bytes.hasRemaining()) {
                    to.write(bytes);
                }
                bytes.clear();
            }
        } catch (IOException gone) {
            // The other direction sees it too.
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
