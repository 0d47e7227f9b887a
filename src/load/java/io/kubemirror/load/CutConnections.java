package io.kubemirror.load;

import module java.base;

/** Relays connections to a server and cuts them on request. Keeps nothing of what it relays. */
final class CutConnections implements AutoCloseable {

    private final int server;
    private final ServerSocket listener;
    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();

    /**
     * @param server port of the server on the loopback address
     */
    CutConnections(int server) {
        this.server = server;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var _ = Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Cuts all connections, whatever is on them. */
    void cut() {
        clients.forEach(CutConnections::close);
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                clients.add(client);
                var _ = Thread.ofVirtual().start(() -> relay(client));
            }
        } catch (IOException e) {
            // The listener is closed.
        }
    }

    private void relay(Socket client) {
        try (client;
                Socket onward = new Socket(InetAddress.getLoopbackAddress(), server)) {
            client.setTcpNoDelay(true);
            onward.setTcpNoDelay(true);
            var _ = Thread.ofVirtual().start(() -> copy(client, onward));
            onward.getInputStream().transferTo(client.getOutputStream());
        } catch (IOException e) {
            // One side is gone, and now the other.
        } finally {
            clients.remove(client);
        }
    }

    private static void copy(Socket client, Socket onward) {
        try (onward) {
            client.getInputStream().transferTo(onward.getOutputStream());
        } catch (IOException e) {
            // The other direction ends too.
        }
    }

    private static void close(AutoCloseable open) {
        try {
            open.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        close(listener);
        cut();
    }
}
