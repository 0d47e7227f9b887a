package io.kubemirror.history;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import module java.base;

import io.kubemirror.testing.LoopbackServer;
import io.kubemirror.testing.Unchecked;

/** Carries TCP connections to a port of loopback, until it is told not to. */
final class FaultyLink implements AutoCloseable {

    private static final int BUFFER = 4_096;

    /** How often in a second a slow client reads. */
    private static final int ROUNDS = 10;

    private final LoopbackServer listener;
    private final int port;
    private final int rate;
    private final Permissions permissions;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private boolean held;
    private boolean lagging;
    private volatile boolean refusing;

    FaultyLink(URI server, Permissions permissions) {
        this(server, permissions, 0);
    }

    /**
     * Carries answers slowly, and keeps little of them.
     *
     * @param permissions what it answers to reviews that pass
     * @param rate the bytes in a second, 0 for no limit
     */
    FaultyLink(URI server, Permissions permissions, int rate) {
        port = server.getPort();
        this.permissions = permissions;
        this.rate = rate;
        listener = new LoopbackServer(this::serve);
    }

    URI url() {
        return listener.url();
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

    private void serve(Socket client) throws IOException {
        if (refusing) {
            return;
        }
        try (Socket server = connected(client)) {
            sockets.add(client);
            sockets.add(server);
            if (refusing) {
                return;
            }
            AtomicBoolean watches = new AtomicBoolean();
            var _ = Thread.ofVirtual().start(() -> carry(client, server, watches, true));
            carry(server, client, watches, false);
        } finally {
            sockets.remove(client);
        }
    }

    private Socket connected(Socket client) throws IOException {
        Socket server = new Socket();
        if (rate > 0) {
            client.setSendBufferSize(BUFFER);
            server.setReceiveBufferSize(BUFFER);
        }
        server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return server;
    }

    /** A watch has its connection for itself until it ends. */
    private void carry(Socket from, Socket to, AtomicBoolean watches, boolean requests) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            boolean slow = rate > 0 && !requests;
            byte[] bytes = new byte[slow ? rate / ROUNDS : 8192];
            for (int size = in.read(bytes); size >= 0; size = in.read(bytes)) {
                if (requests) {
                    watches.set(new String(bytes, 0, size, ISO_8859_1).contains("watch="));
                }
                awaitFlow(watches);
                if (requests && Reviews.isReview(bytes, size)) {
                    from.getOutputStream().write(Reviews.answer(bytes, size, in, permissions));
                    continue;
                }
                out.write(bytes, 0, size);
                if (slow) {
                    TimeUnit.MILLISECONDS.sleep(1_000 / ROUNDS);
                }
            }
        } catch (IOException | InterruptedException e) {
            // One side has disconnected, so the other one is disconnected too.
        } finally {
            sockets.remove(from);
        }
    }

    private static void close(Socket socket) {
        Unchecked.run(() -> socket.close());
    }

    @Override
    public void close() {
        refuse();
        listener.close();
        heal();
    }
}
