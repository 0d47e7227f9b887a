package io.kubemirror.testing;

import module java.base;

/**
 * Accepts TCP connections on a port of loopback, and serves each on a thread of its own. Safe for
 * use by any thread.
 *
 * <p>Rejected: the JDK's {@code HttpServer}, which ends every response properly and so can neither
 * cut a stream in the middle nor leave a request without an answer, and whose port cannot be closed
 * and opened again.
 */
public final class LoopbackServer implements AutoCloseable {

    private final ServerSocket listener;
    private final Thread accepting;
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();

    /**
     * Serves a connection, which is closed afterwards. An exception means that one side has gone.
     */
    @FunctionalInterface
    public interface ConnectionHandler {
        void serve(Socket client) throws IOException, InterruptedException;
    }

    /** Listens on a free port. */
    public LoopbackServer(ConnectionHandler handler) {
        this(0, handler);
    }

    /** Listens on a port. */
    public LoopbackServer(int port, ConnectionHandler handler) {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        listener = Unchecked.call(() -> new ServerSocket(port, 1024, loopback));
        accepting = Thread.ofVirtual().start(() -> accept(handler));
    }

    /** The port. */
    public int port() {
        return listener.getLocalPort();
    }

    /** The address, as plain HTTP. */
    public URI url() {
        return URI.create("http://127.0.0.1:" + port());
    }

    /** The number of open connections. */
    public int connections() {
        return connections.size();
    }

    private void accept(ConnectionHandler handler) {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                connections.add(client);
                var _ = Thread.ofVirtual().start(() -> serve(client, handler));
            } catch (IOException closed) {
                // The port was closed, which ends the loop, or one caller gave up early.
            }
        }
    }

    private void serve(Socket client, ConnectionHandler handler) {
        try (client) {
            client.setTcpNoDelay(true);
            handler.serve(client);
        } catch (IOException | InterruptedException gone) {
            // The other side went away, or the connection was cut.
        } finally {
            connections.remove(client);
        }
    }

    /** Cuts all connections that there are now, not those that replace them meanwhile. */
    public void cut() {
        List.copyOf(connections).forEach(LoopbackServer::cut);
    }

    /**
     * Copies on a thread of its own until one side ends, and then closes the connection to which it
     * copies. The thread that copies in the other direction notices.
     */
    public static void passOn(InputStream from, OutputStream to) {
        var _ =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try (to) {
                                        from.transferTo(to);
                                    } catch (IOException gone) {
                                        // One side has gone.
                                    }
                                });
    }

    /** Ends a connection with a reset, so that the other side notices at once. */
    public static void cut(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException closed) {
            // It is closed already.
        }
    }

    /** Stops listening, so that callers are refused, and cuts all connections. */
    @Override
    public void close() {
        Unchecked.run(
                () -> {
                    listener.close();
                    // The port is closed only when no thread is in accept() any more.
                    accepting.join();
                });
        cut();
    }
}
