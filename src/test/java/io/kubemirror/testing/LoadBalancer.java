package io.kubemirror.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;

/**
 * Forwards TCP connections in turn to one of several servers, skips servers that refuse them, and
 * closes connections that none accepts, as a Service or a load balancer does. A connection that
 * breaks on one side is closed on the other.
 */
public final class LoadBalancer implements AutoCloseable {

    private final List<URI> servers;
    private final ServerSocket listening;
    private int next;

    private LoadBalancer(List<URI> servers) throws IOException {
        this.servers = List.copyOf(servers);
        this.listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    }

    /** Starts one on a free port of loopback. */
    public static LoadBalancer before(URI... servers) {
        try {
            LoadBalancer balancer = new LoadBalancer(List.of(servers));
            var _ = Thread.ofVirtual().name("load-balancer").start(balancer::accept);
            return balancer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The address it listens on. */
    public URI url() {
        return URI.create("http://127.0.0.1:" + listening.getLocalPort());
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                int first = next++;
                var _ = Thread.ofVirtual().start(() -> serve(client, first));
            } catch (IOException _) {
                // Closed, which ends the loop, or one caller gave up early.
            }
        }
    }

    private void serve(Socket client, int first) {
        try (client) {
            for (int i = 0; i < servers.size(); i++) {
                if (passedOn(client, servers.get((first + i) % servers.size()))) {
                    return;
                }
            }
        } catch (IOException _) {
            // The client has disconnected.
        }
    }

    /** Returns when the connection has ended; false if the server accepted none. */
    private static boolean passedOn(Socket client, URI url) throws IOException {
        try (Socket server = new Socket()) {
            try {
                server.connect(new InetSocketAddress(url.getHost(), url.getPort()));
            } catch (IOException _) {
                return false;
            }
            Thread requests = Thread.ofVirtual().start(() -> copy(client, server));
            copy(server, client);
            requests.interrupt();
            return true;
        }
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[8_192];
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                out.write(bytes, 0, read);
            }
        } catch (IOException _) {
            // One side has disconnected; both are closed.
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
