package io.kubemirror.pairs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Lets clients that know TCP only use a Unix socket. */
final class SocketRelay implements AutoCloseable {

    private final Path socket;
    private final ServerSocketChannel listener;

    SocketRelay(Path socket) throws IOException {
        this.socket = socket;
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
                SocketChannel server = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.connect(UnixDomainSocketAddress.of(socket));
            Thread.ofVirtual().start(() -> copy(client, server));
            copy(server, client);
        } catch (IOException gone) {
            // Both connections end.
        }
    }

    /** Copies until one end is closed, and closes the other. */
    private static void copy(SocketChannel from, SocketChannel to) {
        try (to) {
            ByteBuffer bytes = ByteBuffer.allocate(16 * 1024);
            while (from.read(bytes) >= 0) {
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
