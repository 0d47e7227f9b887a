package io.kubemirror.history;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Carries TCP connections to a port of loopback, until it is told not to. */
final class FaultyLink implements AutoCloseable {

    private final ServerSocket listener;
    private final int port;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private boolean held;
    private boolean lagging;
    private volatile boolean refusing;

    FaultyLink(URI server) {
        port = server.getPort();
        try {
            listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var _ = Thread.ofVirtual().start(this::accept);
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    /** Breaks all connections. */
    void cut() {
        sockets.forEach(FaultyLink::close);
    }

    /** Breaks all connections, and refuses others until {@link #heal}. */
    void refuse() {
        refusing = true;
        cut();
    }

    /** Carries nothing until {@link #heal}, and breaks nothing. */
    synchronized void hold() {
        held = true;
    }

    /** Carries no events of watches until {@link #heal}, and everything else. */
    synchronized void lag() {
        lagging = true;
    }

    synchronized void heal() {
        held = false;
        lagging = false;
        refusing = false;
        notifyAll();
    }

    private synchronized void awaitFlow(AtomicBoolean watches) throws InterruptedException {
        while (held || (lagging && watches.get())) {
            wait();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                if (refusing) {
                    close(client);
                } else {
                    var _ = Thread.ofVirtual().start(() -> serve(client));
                }
            }
        } catch (IOException e) {
            // The listener is closed.
        }
    }

    private void serve(Socket client) {
        try (client;
                Socket server = new Socket(InetAddress.getLoopbackAddress(), port)) {
            sockets.add(client);
            sockets.add(server);
            if (refusing) {
                return;
            }
            AtomicBoolean watches = new AtomicBoolean();
            var _ = Thread.ofVirtual().start(() -> carry(client, server, watches, true));
            carry(server, client, watches, false);
        } catch (IOException e) {
            // Nobody listens there.
        } finally {
            sockets.remove(client);
        }
    }

    /** A watch has its connection for itself until it ends. */
    private void carry(Socket from, Socket to, AtomicBoolean watches, boolean requests) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[8192];
            for (int size = in.read(bytes); size >= 0; size = in.read(bytes)) {
                if (requests) {
                    watches.set(new String(bytes, 0, size, ISO_8859_1).contains("watch="));
                }
                awaitFlow(watches);
                out.write(bytes, 0, size);
            }
        } catch (IOException | InterruptedException e) {
            // One side has disconnected, so the other one is disconnected too.
        } finally {
            sockets.remove(from);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        refuse();
        heal();
    }
}
